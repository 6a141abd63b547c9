/// A serial queue for each key: runs operations with the same key one at a time, in order of arrival.
package final class KeyedSerialQueue: Sendable {
    private let state = Mutex(State())

    /// Creates an empty queue.
    package init() {}

    private struct State {
        /// The end of the last operation by key; keys without pending operations are removed.
        var last: [String: (number: Int, end: Task<Void, Never>)] = [:]
        var count = 0
    }

    /// Runs an operation when its turn has come, in a separate task that is never cancelled.
    package func run<Value: Sendable, Failure: Error>(
        key: String, _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let pending = state.withLock { state in
            let former = state.last[key]?.end
            let pending = Task { () -> Result<Value, Failure> in
                await former?.value
                do throws(Failure) {
                    return .success(try await work())
                } catch {
                    return .failure(error)
                }
            }
            state.count += 1
            let number = state.count
            let end = Task {
                _ = await pending.value
                self.state.withLock { state in
                    if state.last[key]?.number == number { state.last[key] = nil }
                }
            }
            state.last[key] = (number, end)
            return pending
        }
        return try await pending.value.get()
    }
}
