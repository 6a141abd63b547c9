import ErrandLocking

/// A counter of events that lets a test wait for further events.
package final class EventCounter: Sendable {
    private struct Waiter {
        let count: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var count = 0
        var nextWaiter = 0
        var waiters: [Int: Waiter] = [:]
        /// The waits that were canceled before they began.
        var canceled: Set<Int> = []
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of events so far.
    package var count: Int { state.withLock { $0.count } }

    /// Counts one event.
    package func increment() {
        let satisfied = state.withLock { state in
            state.count += 1
            let ids = state.waiters.filter { $0.value.count <= state.count }.keys
            return ids.compactMap { state.waiters.removeValue(forKey: $0) }
        }
        for waiter in satisfied { waiter.continuation.resume() }
    }

    /// Waits for the given number of further events.
    ///
    /// - Throws: `CancellationError` if the task is canceled first, for example by the time limit of a test.
    package func wait(for further: Int) async throws {
        let (id, count) = state.withLock { state in
            state.nextWaiter += 1
            return (state.nextWaiter, state.count + further)
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    if state.canceled.remove(id) != nil { return .failure(CancellationError()) }
                    if state.count >= count { return .success(()) }
                    state.waiters[id] = Waiter(count: count, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: id)
                if waiter == nil { state.canceled.insert(id) }
                return waiter
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }
}
