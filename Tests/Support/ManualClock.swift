import ErrandLocking

/// A clock that a test advances.
package final class ManualClock: Clock {
    /// A time since the creation of the clock.
    package struct Instant: InstantProtocol {
        /// The time since the creation of the clock.
        package var offset: Duration

        package func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
        package func duration(to other: Self) -> Duration { other.offset - offset }
        package static func < (one: Self, other: Self) -> Bool { one.offset < other.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var canceled: Set<Int> = []
        var next = 0
        var waiters: [(sleepers: Int, continuation: Continuation<Void>)] = []

        /// Removes and returns the waiters for the present number of sleepers.
        mutating func takeSatisfied() -> [Continuation<Void>] {
            let count = sleepers.count
            defer { waiters.removeAll { $0.sleepers <= count } }
            return waiters.filter { $0.sleepers <= count }.map(\.continuation)
        }
    }

    /// The durations of all sleeps that have begun.
    package let sleeps = EventLog<Duration>()
    /// The sleeps that were canceled.
    package let cancellations = EventLog<Void>()
    private let state = Mutex(State())

    /// Creates a clock at time zero.
    package init() {}

    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .nanoseconds(1) }
    /// The number of tasks that are sleeping.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Waits until at least so many tasks sleep at once.
    package func sleepers(_ count: Int) async {
        await withContinuation { continuation in
            let isSatisfied = state.withLock { state in
                guard state.sleepers.count < count else { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isSatisfied { continuation.resume() }
        }
    }

    /// Advances the time and wakes the tasks whose sleep is over.
    package func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let woken = state.sleepers.filter { $0.value.deadline <= now }
            for id in woken.keys { state.sleepers[id] = nil }
            return woken.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let (start, satisfied) = state.withLock { state -> (Instant?, [Continuation<Void>]) in
                    guard !state.canceled.contains(id) else { return (nil, []) }
                    // The time may have been advanced since the caller has computed the deadline.
                    guard deadline > state.now else { return (state.now, []) }
                    state.sleepers[id] = (deadline, continuation)
                    return (state.now, state.takeSatisfied())
                }
                if let start {
                    sleeps.append(start.duration(to: deadline))
                    if deadline <= start { continuation.resume() }
                } else {
                    continuation.resume(throwing: CancellationError())
                }
                for waiter in satisfied { waiter.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.canceled.insert(id)
                return state.sleepers.removeValue(forKey: id)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
            cancellations.append()
        }
    }
}
