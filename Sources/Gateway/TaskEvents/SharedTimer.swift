import ErrandLocking

/// A timer shared by many waiters: one task that sleeps until the earliest action.
///
/// Any thread.
package final class SharedTimer: Sendable {
    /// The handle of a scheduled action, by which it is canceled.
    package struct Token: Sendable {
        fileprivate var entry: TimerWheel<Action>.Entry
    }

    /// The action to perform.
    fileprivate struct Action: Sendable {
        let perform: @Sendable () -> Void
    }

    private struct State {
        var wheel = TimerWheel<Action>()
        /// The time at which the sleeping task wakes up; `nil` without one.
        var wakesAt: Duration?
        /// The sleeping task.
        var sleeper: Task<Void, Never>?
        /// Counts the sleeping tasks: a task that was replaced does nothing when it wakes up.
        var generation = 0
    }

    private let state = Mutex(State())
    /// Returns the time since the timer was created.
    package let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (_ until: Duration) async -> Void

    /// Creates a timer based on a clock.
    package init<C: Clock<Duration>>(_ clock: C) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { time in
            // Canceled when an earlier time is needed; the task then performs all actions that are due.
            try? await clock.sleep(until: start.advanced(by: time), tolerance: nil)
        }
    }

    deinit {
        state.withLock { $0.sleeper }?.cancel()
    }

    /// Schedules an action.
    ///
    /// - Parameters:
    ///   - delay: The delay.
    ///   - grain: The tolerance: the action may be this much later, together with others.
    ///   - action: Called on the timer's task; it must not block.
    package func set(
        after delay: Duration, grain: Duration = .milliseconds(10), _ action: @escaping @Sendable () -> Void
    ) -> Token {
        let now = elapsed()
        let (token, replaced) = state.withLock { state in
            let entry = state.wheel.add(Action(perform: action), at: now + delay, grain: grain)
            return (Token(entry: entry), plan(&state))
        }
        replaced?.cancel()
        return token
    }

    /// Cancels an action; no-op if it was already performed.
    package func cancel(_ token: Token) {
        state.withLock { $0.wheel.remove(token.entry) }
    }

    /// Starts a task that sleeps until the next action, unless one sleeps until then.
    ///
    /// - Returns: The replaced task, which would sleep too long, to be canceled.
    private func plan(_ state: inout State) -> Task<Void, Never>? {
        guard let next = state.wheel.nextTime() else { return nil }
        if let wakesAt = state.wakesAt, wakesAt <= next { return nil }
        let replaced = state.sleeper
        state.wakesAt = next
        state.generation += 1
        let generation = state.generation
        state.sleeper = Task { [weak self, sleep] in
            await sleep(next)
            self?.wake(generation)
        }
        return replaced
    }

    private func wake(_ generation: Int) {
        let now = elapsed()
        let due = state.withLock { state -> [Action] in
            guard state.generation == generation else { return [] }
            state.wakesAt = nil
            state.sleeper = nil
            let due = state.wheel.takeDue(at: now)
            _ = plan(&state)
            return due
        }
        for action in due { action.perform() }
    }
}
