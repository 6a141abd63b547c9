/// A fault of an XML document, with its location.
public struct XMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault.
    public var reason: Reason
    /// The explanation for people: a sentence without a full stop that quotes none of the content.
    public var message: String
    /// The line, counted from 1.
    public var line: Int
    /// The column, counted from 1 in characters.
    public var column: Int

    /// The kinds of faults.
    public enum Reason: Sendable, Hashable {
        /// The text is not well-formed XML 1.0 with namespaces.
        case malformed
        /// The encoding with this name is not supported: decode the text first.
        case unknownEncoding(String)
        /// A DTD declares content: an entity, or the default value of an attribute.
        case declaredContent
        /// A limit of ``XMLLimits`` is exceeded.
        case limit
        /// There is not enough memory.
        case outOfMemory
    }

    /// Creates an error.
    public init(_ reason: Reason, _ message: String, line: Int, column: Int) {
        self.reason = reason
        self.message = message
        self.line = line
        self.column = column
    }

    /// The message and the location: `mismatched tag (line 2, column 5)`.
    public var description: String { "\(message) (line \(line), column \(column))" }
}
