import ErrandSessionCore
package import ErrandTaskStore

/// The tokens of retries: each retry takes one from the budget of its session, or of its destination in a session with
/// several.
///
/// It takes the token when it begins. From the time at which it becomes due until then it may wait for long, be
/// canceled, or be postponed; tokens that were taken meanwhile would add up in a session that is held.
extension Admission {
    /// The decision on a task that has its slot in the session.
    package enum StartVerdict: Sendable, Hashable {
        /// The task may start.
        case begins
        /// The task lost its slot, and is queued again as soon as its destination has a free slot or was probed.
        case waits
        /// The task lost its slot, and must be postponed by this time, because of its destination.
        case later(Duration)
        /// The task keeps its slot, and must be postponed by this time, because its budget has no token.
        case lacksToken(Duration)
    }

    /// Decides on a task that has its slot in the session: it may need a slot at its destination, and a token.
    ///
    /// - Parameters:
    ///   - position: The task.
    ///   - session: Its session.
    ///   - key: Its destination, if the session has several.
    ///   - needsToken: True for a retry that takes a token.
    ///   - now: The present.
    package mutating func begin(
        _ position: QueuePosition, session: String, to key: DestinationKey? = nil, needsToken: Bool = false,
        at now: ContinuousClock.Instant
    ) -> StartVerdict {
        // An earlier start of the same task has its token already; this one has nothing to wait for.
        guard !tokenHolders.contains(position.id) else {
            giveBack(position.id, session: session, at: now)
            return .waits
        }
        let verdict: StartVerdict
        if let key {
            verdict = begin(position, to: key, needsToken: needsToken, at: now)
        } else if needsToken, let wait = takeRetry(session: session, at: now) {
            verdict = .lacksToken(wait)
        } else {
            verdict = .begins
        }
        if needsToken, verdict == .begins { tokenHolders.insert(position.id) }
        return verdict
    }

    /// Returns the time by which a retry that becomes due must be postponed, because its budget has no token; `nil` if
    /// it may be queued.
    ///
    /// In a session that starts nothing for now all are queued, and look for a token when they begin.
    ///
    /// - Parameters:
    ///   - session: Its session.
    ///   - key: Its destination, if the session has several.
    ///   - now: The present.
    package mutating func retryPause(
        session: String, to key: DestinationKey? = nil, at now: ContinuousClock.Instant
    ) -> Duration? {
        guard let index = indices[session], !isHeld(index, at: now) else { return nil }
        guard let key else { return sessions[index].gate.budget.wait(at: now) }
        // A destination that is not known has all of its tokens.
        return destinations[key]?.retryPause(at: now)
    }

    /// Returns true if a session starts nothing for now, for another reason than its slots and its rate.
    private func isHeld(_ index: Int, at now: ContinuousClock.Instant) -> Bool {
        guard sessions[index].pauseReasons.isEmpty else { return true }
        return switch sessions[index].gate.opening(at: now) {
        case .open, .later(_, .rate): false
        case .later, .shut: true
        }
    }

    /// Takes a token for a retry that is about to begin.
    ///
    /// - Parameters:
    ///   - session: Its session.
    ///   - key: Its destination, if the session has several.
    ///   - now: The present.
    /// - Returns: `nil` when the retry may begin, otherwise the time to postpone it.
    package mutating func takeRetry(
        session: String, to key: DestinationKey? = nil, at now: ContinuousClock.Instant
    ) -> Duration? {
        guard let index = indices[session] else { return nil }
        guard let key else { return sessions[index].gate.budget.take(at: now) }
        makeRoom(for: key, at: now)
        let rules = sessions[index].gate.rules
        return destinations[key, default: Destination(rules.retryBudget, at: now)].takeRetry(at: now)
    }

    /// Returns the token of a retry that does not begin; called before the slot of the task is released.
    mutating func giveBackRetry(of task: TaskID, session: String, at now: ContinuousClock.Instant) {
        changeBudget(of: task, session: session) { $0.giveBack(at: now) }
    }

    /// Counts the success of a retry, which returns its token if it has taken one; called before the slot of the task
    /// is released.
    package mutating func noteRetrySuccess(of task: TaskID, session: String, at now: ContinuousClock.Instant) {
        let hadToken = tokenHolders.contains(task)
        changeBudget(of: task, session: session) { $0.noteSuccess(hadToken: hadToken, at: now) }
    }

    /// Counts the first attempt of `task`, which adds retry tokens.
    package mutating func noteFirstAttempt(of task: TaskID, session: String, at now: ContinuousClock.Instant) {
        changeBudget(of: task, session: session) { $0.noteFirstAttempt(at: now) }
    }

    /// Changes the budget of a task that has its slot: that of its destination, or of its session.
    private mutating func changeBudget(of task: TaskID, session: String, _ change: (inout RetryBudget) -> Void) {
        if let key = destined[task] {
            destinations[key]?.changeBudget(change)
        } else if let index = indices[session] {
            change(&sessions[index].gate.budget)
        }
    }
}
