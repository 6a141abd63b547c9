import ErrandLocking
import ErrandSessionCore
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import Logging

/// The consequences of an ended attempt for its task and its session.
extension Dispatcher {
    /// Records the outcome for the session's upstream, and decides whether another attempt is made.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - origin: The origin of the upstream that the session had when the attempt began. If a reload has given it
    ///     another, nothing is recorded.
    ///   - record: The task as it is now.
    /// - Returns: The time of the next attempt, or the reason for which this was the last.
    func followUp(_ attempt: EndedAttempt, from origin: HTTPURL.Origin?, of record: TaskRecord) -> FollowUp {
        let (moment, now) = (context.now(), context.monotonic.now)
        let seconds = moment.milliseconds / 1000
        let outcome = CircuitBreaker.Outcome(attempt)
        var said = attempt
        // A destination is an upstream itself, as requests to destinations are not redirected.
        if record.kind.handler.hasDestinations, !said.isOwnUpstream {
            said.isOwnUpstream = state.withLock { $0.admission.isDestined(record.id) }
        }
        let quiet = context.sessions.configuration(of: record.session)?.retry.quietTime(after: said, now: seconds)
        let change = state.withLock { state -> CircuitBreaker.Change? in
            let isCurrent = state.admission.isUpstream(origin, of: record.session)
            let change =
                isCurrent ? state.admission.note(outcome, of: record.id, session: record.session, at: now) : nil
            if record.attemptCount > 1, outcome == .success {
                state.admission.noteRetrySuccess(of: record.id, session: record.session, at: now)
            }
            if isCurrent, let quiet {
                state.admission.stayQuiet(
                    session: record.session, until: now.advanced(by: quiet), toldTo: record.id)
            }
            if isCurrent, quiet != nil || change != nil || outcome == .failure {
                noteHold(of: record.session, in: state)
            }
            return change
        }
        if let change {
            context.log.circuitDidChange(
                change, of: record.session, context.sessions.configuration(of: record.session)?.circuitBreaker)
            report(.circuit(change), of: record.session)
        }
        guard attempt.error != nil else { return .end(nil) }
        let decision = retryRule(of: record).decide(after: attempt, random: context.random(), now: seconds)
        return FollowUp(decision, of: record, at: moment)
    }

    /// The time before its deadline in which a retry without a token is made at once, if there is none until then.
    private static let lastTries = Duration.seconds(30)

    /// The decision on a task that is due.
    struct DueDecision: Sendable {
        /// The step: the task is queued, put off, or fails.
        var step = TaskStep.timeCame
        /// True if the retry has taken a token from the budget.
        var hasToken = false
    }

    /// Checks the pause of the destination of a task that is due, and takes a token from the retry budget for a retry.
    ///
    /// A task waits until the pause of its destination ends, or until its deadline, with which it fails. Without a
    /// token a retry is postponed, but not beyond the time in which its task may be tried: the last attempt is made
    /// without a token.
    func decide(onDue record: TaskRecord, at moment: Timestamp) -> DueDecision {
        guard record.state == .waiting, let dueAt = record.dueAt, dueAt <= moment else { return DueDecision() }
        // Its deadline is delivered concurrently, and needs no token.
        guard !record.isOverdue(at: moment) else { return DueDecision(step: .deadlinePassed) }
        let destination = destination(of: record)
        let isRetry = record.attemptCount > 0
        let (pause, budget) = state.withLock { state -> (Duration?, Duration?) in
            let now = context.monotonic.now
            if let destination, let pause = state.admission.pause(of: destination, for: record.id, at: now) {
                return (pause, nil)
            }
            guard isRetry else { return (nil, nil) }
            return (nil, state.admission.takeRetry(session: record.session, to: destination, at: now))
        }
        if let pause, let destination {
            return DueDecision(step: step(of: record, to: destination, putOffBy: pause, at: moment))
        }
        guard let wait = budget else { return DueDecision(hasToken: isRetry) }
        guard let next = nextTry(of: record, after: wait, at: moment) else { return DueDecision() }
        return DueDecision(step: .putOff(until: next))
    }

    /// Returns the time at which a retry without a token tries again; `nil` if its last attempt is made now.
    private func nextTry(of record: TaskRecord, after wait: Duration, at moment: Timestamp) -> Timestamp? {
        var next = moment.adding(wait)
        let longest = retryRule(of: record).maxElapsed.flatMap { longest in
            record.startedAt.map { moment.adding(longest - context.wall.elapsed(since: $0)) }
        }
        if let longest { next = min(next, longest) }
        if let deadline = record.deadline, next >= deadline {
            // A task ends at its deadline: an attempt that is due then is never made.
            guard deadline.duration(since: moment) > Self.lastTries else { return nil }
            // Many tasks may have the same deadline.
            next = deadline.adding(.zero - Self.lastTries * (0.5 + context.random() / 2))
        }
        return next > moment ? next : nil
    }

    /// Returns the step of a task that cannot begin at its destination now.
    ///
    /// It looks again later. If the destination keeps failing, it fails when all attempts would have been made by then:
    /// the tasks of a destination that is gone would become more and more.
    ///
    /// - Parameters:
    ///   - record: The task.
    ///   - destination: Its destination.
    ///   - pause: The time after which it looks again.
    ///   - moment: The present.
    func step(
        of record: TaskRecord, to destination: Admission.DestinationKey, putOffBy pause: Duration,
        at moment: Timestamp
    ) -> TaskStep {
        let isFailing = state.withLock { $0.admission.isFailing(destination) }
        if isFailing, let longest = retryRule(of: record).longestElapsed,
            context.wall.elapsed(since: record.startedAt ?? record.createdAt) > longest
        {
            return .destinationFailed
        }
        let next = moment.adding(pause)
        return .putOff(until: record.deadline.map { min(next, $0) } ?? next)
    }

    /// Gives the token back of a retry that was not queued.
    func giveBackToken(of record: TaskRecord) {
        let destination = destination(of: record)
        state.withLock { state in
            state.admission.giveBackRetry(session: record.session, to: destination, at: context.monotonic.now)
        }
    }

    /// Returns the destination of a task; `nil` if only the limits of its session apply.
    func destination(of record: TaskRecord) -> Admission.DestinationKey? {
        record.kind.handler.destination(of: record, sessions: context.sessions)
    }

    /// Returns the rule for further attempts of a task.
    private func retryRule(of record: TaskRecord) -> RetryRule {
        record.kind.handler.retryRule(under: context.retryConfiguration(of: record))
    }
}

extension TaskContext {
    /// Returns the retry configuration of a task: its session's, with the task's own settings applied.
    ///
    /// A session that is no longer configured uses the defaults, which are conservative.
    func retryConfiguration(of record: TaskRecord) -> RetryConfiguration {
        let configuration = sessions.configuration(of: record.session)?.retry ?? RetryConfiguration()
        do throws(SessionError) {
            return try record.kind.handler.retryOverrides(of: record).applied(to: configuration)
        } catch {
            logger.error(
                "A task's own retry settings cannot be read", metadata: ["task": "\(record.id)", "error": "\(error)"])
            return configuration
        }
    }
}
