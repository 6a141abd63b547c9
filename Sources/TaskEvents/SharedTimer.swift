import Locking

/// One timer for as many as want to be woken at some time: a task that sleeps until the first of them.
///
/// Any thread.
package final class SharedTimer: Sendable {
    /// One wish to be woken.
    package struct Alarm: Sendable {
        fileprivate var alarm: TimerWheel<@Sendable () -> Void>.Alarm
    }

    private struct State {
        var wheel = TimerWheel<@Sendable () -> Void>()
        /// Until when the task sleeps that is to wake up next; `nil` without one.
        var wakesAt: Duration?
        /// The task that sleeps.
        var sleeper: Task<Void, Never>?
        /// Counts the tasks: one that is not the last any more does nothing when it wakes up.
        var generation = 0
    }

    private let state = Mutex(State())
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (_ until: Duration) async -> Void

    /// Creates a timer that goes by a clock.
    package init<C: Clock<Duration>>(_ clock: C) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { time in
            // Cut short when an earlier time is wanted: whoever wakes up looks what is due.
            try? await clock.sleep(until: start.advanced(by: time), tolerance: nil)
        }
    }

    deinit {
        state.withLock { $0.sleeper }?.cancel()
    }

    /// Has something done after a while.
    ///
    /// - Parameters:
    ///   - delay: How long.
    ///   - grain: It may be so much later, and is done with what else is due by then.
    ///   - action: Called on the timer's task: it must not wait.
    package func set(
        after delay: Duration, grain: Duration = .milliseconds(10), _ action: @escaping @Sendable () -> Void
    ) -> Alarm {
        let now = elapsed()
        let (alarm, replaced) = state.withLock { state in
            let alarm = state.wheel.add(action, at: now + delay, grain: grain)
            return (Alarm(alarm: alarm), plan(&state))
        }
        replaced?.cancel()
        return alarm
    }

    /// Gives a wish up; nothing happens when it was fulfilled already.
    package func cancel(_ alarm: Alarm) {
        state.withLock { $0.wheel.remove(alarm.alarm) }
    }

    /// Has a task sleep until the next time, if none does.
    ///
    /// - Returns: The task that would sleep too long.
    private func plan(_ state: inout State) -> Task<Void, Never>? {
        guard let next = state.wheel.nextTime() else { return nil }
        if let wakesAt = state.wakesAt, wakesAt <= next { return nil }
        let replaced = state.sleeper
        state.wakesAt = next
        state.generation += 1
        let generation = state.generation
        state.sleeper = Task { [weak self, sleep] in
            await sleep(next)
            self?.ring(generation)
        }
        return replaced
    }

    private func ring(_ generation: Int) {
        let now = elapsed()
        let due = state.withLock { state -> [@Sendable () -> Void] in
            guard state.generation == generation else { return [] }
            state.wakesAt = nil
            state.sleeper = nil
            let due = state.wheel.takeDue(at: now)
            _ = plan(&state)
            return due
        }
        for action in due { action() }
    }
}
