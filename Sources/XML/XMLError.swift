/// Why bytes are no XML that is accepted, and where.
public struct XMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of fault it is.
    public var reason: Reason
    /// What is wrong, for people: a sentence without a full stop that quotes nothing of the content.
    public var message: String
    /// The line, counted from 1.
    public var line: Int
    /// The column, counted from 1 in characters.
    public var column: Int

    /// The kinds of faults.
    public enum Reason: Sendable, Hashable {
        /// It is not well-formed XML 1.0 with namespaces.
        case malformed
        /// The text is in an encoding of this name, which has to be decoded first.
        case unknownEncoding(String)
        /// A DTD declares what would become content: an entity, or the default value of an attribute.
        case declaredContent
        /// A limit of ``XMLLimits`` is exceeded.
        case limit
        /// There is no memory for it.
        case outOfMemory
    }

    /// Creates an error.
    public init(_ reason: Reason, _ message: String, line: Int, column: Int) {
        self.reason = reason
        self.message = message
        self.line = line
        self.column = column
    }

    /// The message and the place: `mismatched tag (line 2, column 5)`.
    public var description: String { "\(message) (line \(line), column \(column))" }
}
