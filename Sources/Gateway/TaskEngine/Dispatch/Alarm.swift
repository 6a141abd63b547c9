import ErrandLocking
import ErrandTime

/// A timer for many moments: fires at the earliest of them, and its action returns the next one.
///
/// While its action runs it does not fire again; moments set meanwhile are considered afterwards. Any thread.
final class Alarm<Moment: Comparable & Sendable>: Sendable {
    private let clock: any Clock<Duration>
    private let longestSleep: Duration?
    private let remaining: @Sendable (Moment) -> Duration
    private let ring: @Sendable () async -> Moment?
    private let state = Mutex(State())

    private struct State {
        /// The earliest moment it is set to.
        var next: Moment?
        /// Sleeps until that moment, then runs the action.
        var timer: Task<Void, Never>?
        var isRinging = false
        var isStopped = false
        /// Counts the timers: a timer that was replaced does nothing when it wakes.
        var number = 0
    }

    /// Creates an alarm that is not set.
    ///
    /// - Parameters:
    ///   - clock: The clock to sleep with.
    ///   - longestSleep: The longest sleep before the remaining time is computed again, for moments of a clock that may
    ///     be set; `nil` for no limit.
    ///   - remaining: Returns the time until a moment; zero or negative when the moment has come.
    ///   - ring: The action at a moment; returns the next moment, or `nil` when none is known.
    init(
        clock: any Clock<Duration>, longestSleep: Duration? = nil,
        remaining: @escaping @Sendable (Moment) -> Duration, ring: @escaping @Sendable () async -> Moment?
    ) {
        self.clock = clock
        self.longestSleep = longestSleep
        self.remaining = remaining
        self.ring = ring
    }

    /// Sets the alarm to a moment, unless it is set to an earlier one.
    func set(to moment: Moment) {
        state.withLock { state in
            if let next = state.next, next <= moment { return }
            state.next = moment
            guard !state.isRinging else { return }
            wind(&state)
        }
    }

    /// Stops the alarm and cancels the task in which its action runs.
    ///
    /// Returns when a running action has ended.
    func stop() async {
        let timer = state.withLock { state in
            state.isStopped = true
            return state.timer
        }
        timer?.cancel()
        await timer?.value
    }

    /// Starts sleeping until the earliest moment.
    private func wind(_ state: inout State) {
        state.timer?.cancel()
        guard !state.isStopped, let next = state.next else { return }
        state.number += 1
        let number = state.number
        let rest = max(remaining(next), .zero)
        let sleep = longestSleep.map { min(rest, $0) } ?? rest
        state.timer = Task { [weak self, clock] in
            // The sleep throws when the timer is replaced.
            if sleep > .zero, (try? await clock.boundedSleep(for: sleep)) == nil { return }
            await self?.wake(number)
        }
    }

    private func wake(_ number: Int) async {
        let isDue = state.withLock { state in
            guard state.number == number, !state.isStopped, let next = state.next else { return false }
            guard remaining(next) <= .zero else {
                wind(&state)
                return false
            }
            state.next = nil
            state.isRinging = true
            return true
        }
        guard isDue else { return }
        let following = await ring()
        state.withLock { state in
            state.isRinging = false
            if let following { state.next = state.next.map { min($0, following) } ?? following }
            wind(&state)
        }
    }
}
