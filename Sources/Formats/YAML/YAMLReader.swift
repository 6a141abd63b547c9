import CErrandLibYAML

/// A parser of YAML 1.1, based on libyaml, that returns a tree of nodes with their locations.
///
/// It reads one document. Scalars are untyped text; anchors, aliases and merges (`<<`, explicit keys take precedence)
/// are resolved; keys are text and unique. A text without a document, for example an empty one, is an empty mapping.
package enum YAMLReader {
    /// Parses a text.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8, with or without a byte order mark.
    ///   - limits: The limits of the text.
    /// - Returns: The document, with the problems that did not prevent parsing it: see ``YAMLDocument/problems``.
    /// - Throws: The problem that ended parsing: invalid UTF-8 or characters, syntax, a limit, an alias without anchor
    ///   or inside its own anchor, a key that is not text, or a second document.
    package static func parse(_ bytes: [UInt8], limits: YAMLLimits = YAMLLimits()) throws(YAMLError) -> YAMLDocument {
        let source = try YAMLSource(bytes, limits: limits)
        var composer = YAMLComposer(try YAMLParser(source), limits: limits)
        return try composer.document()
    }
}

extension YAMLReader {
    /// The version of libyaml.
    package static var libraryVersion: String {
        yaml_get_version_string().map { String(cString: $0) } ?? "unknown"
    }
}

/// A YAML document, with the problems that did not prevent parsing it.
package struct YAMLDocument: Sendable {
    /// The root node; an empty mapping for a text without a document.
    package var root: YAMLNode
    /// True if the text has no document, or one without content.
    package var isEmpty: Bool
    /// The problems that did not prevent parsing the rest, in the order of the text.
    ///
    /// They are duplicate keys (the tree contains the first one), unsupported tags, and invalid merges. Do not use a
    /// document with problems; the tree serves only to find further problems at the same time.
    package var problems: [YAMLError]
}

/// The limits of a YAML text, so that no file can exhaust memory or time.
package struct YAMLLimits: Sendable, Hashable {
    /// The largest text, in bytes.
    package var maxBytes = 4 << 20
    /// The deepest nesting of mappings and sequences, with aliases expanded.
    package var maxDepth = 64
    /// The most nodes, keys included, with aliases expanded.
    package var maxNodes = 100_000
    /// The largest scalar, in bytes of UTF-8.
    package var maxScalarBytes = 1 << 20
    /// The most bytes of all scalars together in UTF-8, keys included, with aliases expanded.
    ///
    /// A tree shares the nodes of aliases, but values made from it do not.
    package var maxTotalScalarBytes = 8 << 20

    /// Creates the default limits: 4 MiB, 64 deep, 100,000 nodes, scalars of 1 MiB each and 8 MiB together.
    package init() {}
}
