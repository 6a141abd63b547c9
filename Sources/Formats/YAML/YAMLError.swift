/// A reason for which a YAML text is rejected, with its location.
package struct YAMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of problems.
    package enum Code: Sendable, Hashable {
        /// The text is not YAML.
        case syntax
        /// The bytes are not UTF-8, or contain a character that YAML does not allow.
        case encoding
        /// A limit is exceeded.
        case limit
        /// An alias has no anchor, or refers to a node that contains it.
        case alias
        /// A key is repeated, or is not a scalar.
        case key
        /// The value of `<<` is neither a mapping nor a sequence of mappings.
        case merge
        /// A tag is not supported.
        case tag
        /// There is a second document.
        case documents
        /// There is not enough memory for the parser.
        case memory
    }

    /// The kind of problem.
    package var code: Code
    /// The location of the problem.
    package var mark: YAMLMark
    /// The path of the current node; the root for problems of the whole text.
    package var path: YAMLPath
    /// The explanation for people.
    package var message: String

    /// Creates an error.
    package init(_ code: Code, at mark: YAMLMark, path: YAMLPath = YAMLPath(), _ message: String) {
        self.code = code
        self.mark = mark
        self.path = path
        self.message = message
    }

    /// The location, path and message, `line:column: path: message`; the root path is omitted.
    package var description: String {
        path.isRoot ? "\(mark): \(message)" : "\(mark): \(path): \(message)"
    }
}
