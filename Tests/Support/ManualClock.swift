import Locking

/// A clock whose time passes when a test says so.
package final class ManualClock: Clock {
    /// A time since the clock was made.
    package struct Instant: InstantProtocol {
        /// How long after the clock was made.
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
    }

    /// Every sleep that has begun.
    package let sleeps = EventLog<Duration>()
    /// Every sleep that was cut short.
    package let cancellations = EventLog<Void>()
    private let state = Mutex(State())

    /// Creates a clock at its zero.
    package init() {}

    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .nanoseconds(1) }
    /// How many sleep at present.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Lets time pass and wakes whose time has come.
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
                let start = state.withLock { state -> Instant? in
                    guard !state.canceled.contains(id) else { return nil }
                    state.sleepers[id] = (deadline, continuation)
                    return state.now
                }
                if let start {
                    sleeps.append(start.duration(to: deadline))
                } else {
                    continuation.resume(throwing: CancellationError())
                }
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
