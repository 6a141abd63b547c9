/// A serial queue: runs operations one at a time, in order of arrival.
package final class SerialQueue: Sendable {
    private let queue = KeyedSerialQueue()

    /// Creates an empty queue.
    package init() {}

    /// Runs an operation when its turn has come, in a separate task that is never cancelled.
    package func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await queue.run(key: "", work)
    }
}
