import ErrandLocking
package import ErrandTaskStore
import ErrandTime

import struct Synchronization.Atomic

/// The running tasks that clients poll while the gateway stops.
///
/// A client that polls a task would not learn of its end if the server stopped listening at the moment at which the
/// last attempt ends. Therefore the stop waits, for a limited time, until the clients have read the ends of the tasks
/// that they saw running. Before the stop, reading a task costs one atomic load here. Any thread.
package final class FollowedTasks: Sendable {
    private let isActive = Atomic(false)
    private let state = Mutex(State())

    private struct State {
        var tasks: Set<TaskID> = []
        /// True until no more tasks can end.
        var accepts = true
        var isOver = false
        var waiter: Continuation<Void>?

        /// Removes and returns the waiter if all ends have been read.
        mutating func takeWaiterIfDone() -> Continuation<Void>? {
            guard tasks.isEmpty || isOver else { return nil }
            defer { waiter = nil }
            return waiter
        }
    }

    /// The most tasks that are followed; others do not delay the stop.
    private static let limit = 10_000

    /// Creates an instance that follows no tasks.
    init() {}

    /// True from ``begin()`` on: the gateway is about to stop.
    var hasBegun: Bool { isActive.load(ordering: .relaxed) }

    /// Starts to follow the tasks that clients read.
    package func begin() {
        isActive.store(true, ordering: .relaxed)
    }

    /// Notes the state of a task that is sent to a client.
    func note(_ record: TaskRecord) {
        guard hasBegun else { return }
        let waiter = state.withLock { state -> Continuation<Void>? in
            switch record.state {
            case .running, .canceling:
                if state.accepts, state.tasks.count < Self.limit { state.tasks.insert(record.id) }
            case .scheduled, .queued, .waiting, .suspended, .succeeded, .failed, .canceled:
                state.tasks.remove(record.id)
            }
            return state.takeWaiterIfDone()
        }
        waiter?.resume()
    }

    /// Waits until clients have read the ends of the tasks that they saw running.
    ///
    /// Called when no more attempts are under way.
    ///
    /// - Parameters:
    ///   - limit: The longest time; zero or less for no wait.
    ///   - hasEnded: Returns true for a task that has ended; the others are forgotten.
    package func waitUntilRead(within limit: Duration, hasEnded: (TaskID) -> Bool) async {
        guard limit > .zero else { return }
        let isDone = state.withLock { state in
            state.accepts = false
            state.tasks = state.tasks.filter(hasEnded)
            return state.tasks.isEmpty
        }
        guard !isDone else { return }
        let timer = Task {
            // Canceled when all ends have been read in time.
            guard (try? await ContinuousClock().boundedSleep(for: limit)) != nil else { return }
            giveUp()
        }
        await withContinuation { continuation in
            let waiter = state.withLock { state in
                state.waiter = continuation
                return state.takeWaiterIfDone()
            }
            waiter?.resume()
        }
        timer.cancel()
        await timer.value
    }

    private func giveUp() {
        let waiter = state.withLock { state in
            state.isOver = true
            return state.takeWaiterIfDone()
        }
        waiter?.resume()
    }
}
