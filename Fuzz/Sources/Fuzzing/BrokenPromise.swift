/// A violated guarantee: a condition that must be true for every input.
public struct BrokenPromise: Error, Sendable, Hashable, CustomStringConvertible {
    /// The violated condition.
    public var description: String
}

/// Checks a condition.
///
/// - Parameter promise: The condition in words, for the report.
func expect(_ holds: Bool, _ promise: @autoclosure () -> String) throws(BrokenPromise) {
    guard holds else { throw BrokenPromise(description: promise()) }
}
