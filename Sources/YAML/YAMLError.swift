/// Why a YAML text is refused, with the place.
package struct YAMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of problem it is.
    package enum Code: Sendable, Hashable {
        /// The text is not YAML.
        case syntax
        /// The bytes are not UTF-8, or hold a character that YAML does not allow.
        case encoding
        /// A limit is exceeded.
        case limit
        /// An alias stands for nothing, or for a node that it is a part of.
        case alias
        /// A key is there twice, or is not a scalar.
        case key
        /// `<<` does not name mappings.
        case merge
        /// A tag is not supported.
        case tag
        /// There is a second document.
        case documents
        /// There is no memory for the parser.
        case memory
    }

    /// What kind of problem it is.
    package var code: Code
    /// Where it is.
    package var mark: YAMLMark
    /// The node that was being read; the root for what concerns the whole text.
    package var path: YAMLPath
    /// What is wrong, for people.
    package var message: String

    /// Creates an error.
    package init(_ code: Code, at mark: YAMLMark, path: YAMLPath = YAMLPath(), _ message: String) {
        self.code = code
        self.mark = mark
        self.path = path
        self.message = message
    }

    /// `line:column: path: message`, the path only where there is one.
    package var description: String {
        path.isRoot ? "\(mark): \(message)" : "\(mark): \(path): \(message)"
    }
}
