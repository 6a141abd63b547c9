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

    /// The keys with pending operations, each with the number of its last one among all operations.
    var keysInUse: [String: Int] {
        state.withLock { $0.last.mapValues { $0.number } }
    }

    /// Runs an operation when its turn has come, in a separate task that is never canceled.
    package func run<Value: Sendable, Failure: Error>(
        key: String, _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let pending = state.withLock { state in
            let former = state.last[key]?.end
            state.count += 1
            let number = state.count
            let pending = Task { () -> Result<Value, Failure> in
                await former?.value
                defer { self.didEnd(number, of: key) }
                do throws(Failure) {
                    return .success(try await work())
                } catch {
                    return .failure(error)
                }
            }
            state.last[key] = (number, Task { _ = await pending.value })
            return pending
        }
        return try await pending.value.get()
    }

    /// Forgets a key if its last operation has ended.
    private func didEnd(_ number: Int, of key: String) {
        state.withLock { state in
            if state.last[key]?.number == number { state.last[key] = nil }
        }
    }
}

/// A serial queue: runs operations one at a time, in order of arrival.
package final class SerialQueue: Sendable {
    private let queue = KeyedSerialQueue()

    /// Creates an empty queue.
    package init() {}

    /// Runs an operation when its turn has come, in a separate task that is never canceled.
    package func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await queue.run(key: "", work)
    }
}
