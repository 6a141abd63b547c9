/// Something that should hold for every input, and did not for this one.
public struct BrokenPromise: Error, Sendable, Hashable, CustomStringConvertible {
    /// What did not hold.
    public var description: String
}

/// Checks a promise.
///
/// - Parameter promise: What should hold, for the report.
func expect(_ holds: Bool, _ promise: @autoclosure () -> String) throws(BrokenPromise) {
    guard holds else { throw BrokenPromise(description: promise()) }
}
