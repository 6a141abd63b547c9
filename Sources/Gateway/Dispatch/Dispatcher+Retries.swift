import Locking
import Logging
import SessionCore
import TaskAdmission
import TaskStore

/// What an ended attempt means for what follows: for its task, and for its session.
extension Dispatcher {
    /// Has the session know what the attempt has told of its upstream, and decides whether another is made.
    ///
    /// - Parameter record: The task as it is now.
    /// - Returns: When the next attempt is to be made; `nil` when this was the last.
    func followUp(_ attempt: EndedAttempt, of record: TaskRecord) -> Timestamp? {
        let (moment, steady) = (now(), time.now)
        let seconds = moment.milliseconds / 1000
        let quiet = sessions.configuration(of: record.session)?.retry.quietTime(after: attempt, now: seconds)
        state.withLock { state in
            state.admission.note(
                CircuitBreaker.Outcome(attempt), of: record.id, session: record.session, at: steady)
            if let quiet { state.admission.stayQuiet(session: record.session, until: steady.advanced(by: quiet)) }
        }
        guard attempt.error != nil else { return nil }
        let decision = retryRule(of: record).decide(after: attempt, random: random(), now: seconds)
        guard case .retry(let pause) = decision, !record.isOverdue(at: moment.adding(pause)) else { return nil }
        let delay = state.withLock { $0.admission.reserveRetry(session: record.session, at: steady) }
        let retryAt = moment.adding(pause + delay)
        // What could not be made in time need not be waited for.
        return record.isOverdue(at: retryAt) ? nil : retryAt
    }

    /// When attempts of a task are made again.
    private func retryRule(of record: TaskRecord) -> RetryRule {
        record.kind == .callback ? .callbacks : RetryRule(retryConfiguration(of: record))
    }
}
