/// A YAML document, with the problems that did not prevent parsing it.
package struct YAMLDocument: Sendable {
    /// The root node; an empty mapping for a text without a document.
    package var root: YAMLNode
    /// The problems that did not prevent parsing the rest, in the order of the text.
    ///
    /// They are duplicate keys (the tree contains the first one), unsupported tags, and invalid merges. Do not use a
    /// document with problems; the tree serves only to find further problems at the same time.
    package var problems: [YAMLError]
}
