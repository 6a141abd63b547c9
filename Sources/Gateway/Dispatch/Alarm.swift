import Locking

/// One timer for many moments: it rings at the earliest that it was set to, and is told then when to ring next.
///
/// While it rings it does not ring again; what it is set to meanwhile counts after. Any thread.
final class Alarm<Moment: Comparable & Sendable>: Sendable {
    private let clock: any Clock<Duration>
    private let longestSleep: Duration?
    private let remaining: @Sendable (Moment) -> Duration
    private let ring: @Sendable () async -> Moment?
    private let state = Mutex(State())

    private struct State {
        /// The earliest moment that it is set to.
        var next: Moment?
        /// Sleeps until then, or rings.
        var timer: Task<Void, Never>?
        var isRinging = false
        var isStopped = false
        /// Counts the timers: one that was replaced does nothing when it wakes.
        var number = 0
    }

    /// Creates an alarm that is set to nothing.
    ///
    /// - Parameters:
    ///   - clock: Lets time pass.
    ///   - longestSleep: How long it sleeps before it asks again what remains, for moments of a clock that may be set;
    ///     `nil` for as long as it takes.
    ///   - remaining: How long it is until a moment; not above zero when it has come.
    ///   - ring: What is to be done at a moment; returns the next one, `nil` when none is known.
    init(
        clock: any Clock<Duration>, longestSleep: Duration? = nil,
        remaining: @escaping @Sendable (Moment) -> Duration, ring: @escaping @Sendable () async -> Moment?
    ) {
        self.clock = clock
        self.longestSleep = longestSleep
        self.remaining = remaining
        self.ring = ring
    }

    /// Sets it to a moment, unless it rings before anyway.
    func set(to moment: Moment) {
        state.withLock { state in
            if let next = state.next, next <= moment { return }
            state.next = moment
            guard !state.isRinging else { return }
            wind(&state)
        }
    }

    /// Ends it: it does not ring any more.
    ///
    /// The task in which it rings is cancelled. Returns when what that has begun is done.
    func stop() async {
        let timer = state.withLock { state in
            state.isStopped = true
            return state.timer
        }
        timer?.cancel()
        await timer?.value
    }

    /// Begins to sleep until the earliest moment.
    private func wind(_ state: inout State) {
        state.timer?.cancel()
        guard !state.isStopped, let next = state.next else { return }
        state.number += 1
        let number = state.number
        let rest = max(remaining(next), .zero)
        let sleep = longestSleep.map { min(rest, $0) } ?? rest
        state.timer = Task { [weak self, clock] in
            // It throws when the timer is replaced.
            if sleep > .zero, (try? await clock.sleep(for: sleep)) == nil { return }
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
