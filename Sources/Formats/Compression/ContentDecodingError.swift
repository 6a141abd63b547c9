/// A fault of coded content.
package struct ContentDecodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fault and the expectation: one sentence without a full stop, safe to show.
    package var description: String

    init(_ description: String) {
        self.description = description
    }
}
