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
