/// A value that holds secrets: printing, dumping and mirroring it show its `description` alone.
public protocol RedactedReflection: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension RedactedReflection {
    /// As safe to show as the description.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
