/// A value with secrets: printing, dumping and mirroring it show only its `description`.
public protocol RedactedReflection: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension RedactedReflection {
    /// The `description`.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
