package import ErrandTaskStore
package import ErrandTransfer

/// Effects of a session's upstream on the start of attempts.
extension Admission {
    /// The state of a session as determined by its upstream and its rate.
    package struct Conditions: Hashable, Sendable {
        /// The state of the circuit breaker.
        package var circuit: CircuitBreaker.State
        /// The number of failures in the current window.
        package var failures: Int
        /// The time until which the upstream asked for no requests; `nil` if it did not.
        package var quietUntil: ContinuousClock.Instant?
        /// The number of attempts that may start now; `nil` without a rate.
        package var tokens: Int?
        /// The time at which the rate allows the next attempt; `nil` if it allows one now, or without a rate.
        package var nextToken: ContinuousClock.Instant?
    }

    /// The times for which a session sends nothing to its upstream.
    package struct Hold: Hashable, Sendable {
        /// The origin of the upstream; empty for a session without a base URL.
        package var upstream: String
        /// The time until which the upstream asked for no requests; `nil` if it did not.
        package var quietUntil: ContinuousClock.Instant?
        /// The time until which the circuit is open, which is over for one that is half open; `nil` if it is closed.
        package var circuitOpenUntil: ContinuousClock.Instant?

        /// Creates a hold.
        package init(
            upstream: String, quietUntil: ContinuousClock.Instant? = nil,
            circuitOpenUntil: ContinuousClock.Instant? = nil
        ) {
            self.upstream = upstream
            self.quietUntil = quietUntil
            self.circuitOpenUntil = circuitOpenUntil
        }
    }

    /// Returns the times for which a session sends nothing to its upstream; `nil` for an unknown session.
    package func hold(session: String, at now: ContinuousClock.Instant) -> Hold? {
        guard let index = indices[session] else { return nil }
        let gate = sessions[index].gate
        return Hold(
            upstream: gate.rules.upstream, quietUntil: gate.quietUntil(at: now),
            circuitOpenUntil: gate.breaker.openEnd(at: now))
    }

    /// Restores the times that an earlier process knew.
    ///
    /// Each is limited to the longest that the session's rules allow. Nothing is restored if the session has another
    /// upstream now.
    ///
    /// - Returns: True if one was restored.
    package mutating func restore(_ hold: Hold, session: String, at now: ContinuousClock.Instant) -> Bool {
        guard let index = indices[session], sessions[index].gate.rules.upstream == hold.upstream else { return false }
        return sessions[index].gate.restore(hold, at: now)
    }

    /// Forgets what a session knows of its upstream: the pause that it asked for, and its circuit, which is closed.
    ///
    /// The same holds for each of its destinations.
    package mutating func forgetUpstream(session: String) {
        guard let index = indices[session] else { return }
        sessions[index].gate.forgetUpstream()
        forgetDestinations(of: session)
        takeTurn(index)
    }

    /// Returns the conditions of a session; `nil` for an unknown session.
    package func conditions(session: String, at now: ContinuousClock.Instant) -> Conditions? {
        indices[session].map { index in
            let gate = sessions[index].gate
            return Conditions(
                circuit: gate.breaker.state(at: now), failures: gate.breaker.failureCount(at: now),
                quietUntil: gate.quietUntil(at: now), tokens: gate.tokens(at: now),
                nextToken: gate.nextToken(at: now))
        }
    }

    /// Returns true if the upstream of a session has this origin now.
    ///
    /// - Parameter origin: The origin; `nil` for that of a session whose tasks go to several.
    package func isUpstream(_ origin: HTTPURL.Origin?, of session: String) -> Bool {
        indices[session].map { sessions[$0].gate.rules.origin == origin } ?? false
    }

    /// Starts no attempt of a session before `end`, as its upstream requested.
    ///
    /// The latest of several requested times applies; a time in the past has no effect.
    ///
    /// - Parameter task: The task whose response contained the request; if it has a destination, only that pauses.
    package mutating func stayQuiet(
        session: String, until end: ContinuousClock.Instant, toldTo task: TaskID? = nil
    ) {
        if let key = task.flatMap({ destined[$0] }) {
            destinations[key]?.stayQuiet(until: end)
        } else if let index = indices[session] {
            sessions[index].gate.stayQuiet(until: end)
        }
    }

    /// Returns true if the attempt of `task`, which already has its slot, must not start, because the session was
    /// paused, its upstream asked for a pause, or its circuit opened in the meantime.
    package func mustStop(_ task: TaskID, session: String, at now: ContinuousClock.Instant) -> Bool {
        guard let index = indices[session], sessions[index].pauseReasons.isEmpty else { return true }
        return !sessions[index].gate.breaker.stillLets(task) || sessions[index].gate.quietUntil(at: now) != nil
    }

    /// Counts the outcome of an attempt for its upstream; called when it has ended, before its slot is released.
    ///
    /// - Returns: The change of the session's circuit; `nil` if there is none.
    @discardableResult
    package mutating func note(
        _ outcome: CircuitBreaker.Outcome, of task: TaskID, session: String, at now: ContinuousClock.Instant
    ) -> CircuitBreaker.Change? {
        if let key = destined[task] {
            destinations[key]?.note(outcome, at: now)
            // A failure is that of the destination. A success of the session's probe closes its circuit.
            guard outcome == .success else { return nil }
        }
        guard let index = indices[session] else { return nil }
        let change = sessions[index].gate.note(outcome, of: task, at: now)
        takeTurn(index)
        return change
    }
}
