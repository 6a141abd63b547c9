/// A YAML document that could be read, and what is wrong with it all the same.
package struct YAMLDocument: Sendable {
    /// The root node; an empty mapping for a text without a document.
    package var root: YAMLNode
    /// Problems that did not keep the rest from being read, in the order of the text: duplicate keys (the first one is
    /// in the tree), unsupported tags, bad merges.
    ///
    /// A document with problems is not to be used, but what else is wrong with it can be told at the same time.
    package var problems: [YAMLError]
}
