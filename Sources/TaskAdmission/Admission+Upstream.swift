package import TaskStore

/// What the upstream of a session has to do with when its attempts start.
extension Admission {
    /// A session as its upstream and its rate let it be.
    package struct Conditions: Hashable, Sendable {
        /// Whether the upstream is asked.
        package var circuit: CircuitBreaker.State
        /// The failures that count at present.
        package var failures: Int
        /// Until when the upstream wants to be left alone; `nil` when it does not.
        package var quietUntil: ContinuousClock.Instant?
        /// How many attempts may start at once; `nil` without a rate.
        package var tokens: Int?
    }

    /// What there is to tell of a session; `nil` when there is no such session.
    package func conditions(session: String, at now: ContinuousClock.Instant) -> Conditions? {
        gates[session].map { gate in
            Conditions(
                circuit: gate.breaker.state(at: now), failures: gate.breaker.failureCount(at: now),
                quietUntil: gate.quietUntil(at: now), tokens: gate.tokens(at: now))
        }
    }

    /// Leaves the upstream of a session alone until then: nothing is started before.
    ///
    /// Of several, the latest counts; one in the past is none.
    package mutating func stayQuiet(session: String, until end: ContinuousClock.Instant) {
        gates[session]?.stayQuiet(until: end)
    }

    /// Whether the attempt of `task`, which has its place, must not begin all the same, as something has come up since it was started:
    /// a reason to hold the session back, a wish of its upstream, or that its circuit has opened.
    package func mustStop(_ task: TaskID, session: String, at now: ContinuousClock.Instant) -> Bool {
        guard !isHeld(session: session), let gate = gates[session] else { return true }
        return !gate.breaker.stillLets(task) || gate.quietUntil(at: now) != nil
    }

    /// Counts what an attempt has told of its upstream; called when it has ended, before its place is given back.
    package mutating func note(
        _ outcome: CircuitBreaker.Outcome, of task: TaskID, session: String, at now: ContinuousClock.Instant
    ) {
        gates[session]?.note(outcome, of: task, at: now)
        takeTurn(session)
    }

    /// A task's first attempt has begun, which lets its session make more retries.
    package mutating func noteFirstAttempt(session: String, at now: ContinuousClock.Instant) {
        gates[session]?.budget.noteFirstAttempt(at: now)
    }

    /// Counts a retry that is to be made.
    ///
    /// - Returns: How much later than wanted, so that retries stay a small part of the session's attempts; not below
    ///   zero.
    package mutating func reserveRetry(session: String, at now: ContinuousClock.Instant) -> Duration {
        gates[session]?.budget.reserve(at: now) ?? .zero
    }
}
