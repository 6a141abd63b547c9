/// Reads YAML 1.1, as libyaml parses it, into a tree of nodes with marks.
///
/// One document; scalars keep their text and get no type; anchors, aliases and merges (`<<`, explicit keys win) are
/// resolved; keys are text and occur once. A text without a document, also an empty one, is an empty mapping.
package enum YAMLReader {
    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8, with or without a byte order mark.
    ///   - limits: What the text may ask for.
    /// - Returns: The document, with the problems that did not keep it from being read: see
    ///   ``YAMLDocument/problems``.
    /// - Throws: The problem that ends the reading: bad UTF-8 or characters, syntax, a limit, an alias without anchor
    ///   or inside its own anchor, a key that is no text, a second document.
    package static func parse(_ bytes: [UInt8], limits: YAMLLimits = YAMLLimits()) throws(YAMLError) -> YAMLDocument {
        let source = try YAMLSource(bytes, limits: limits)
        var composer = YAMLComposer(try YAMLParser(source), limits: limits)
        return try composer.document()
    }
}
