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
    /// The time after `max_elapsed` in which the last attempt is still made without a token.
    private static let grace = Duration.seconds(30)

    /// Returns the step of a task that is due: it is queued, put off, or fails.
    ///
    /// A task waits until the pause of its destination ends, or until its deadline, with which it fails. A retry is
    /// postponed while the retry budget has no token (``nextTry(of:after:at:)``). It takes the token when it begins
    /// (``mayBegin(_:_:to:needsToken:)``).
    func step(ofDue record: TaskRecord, at moment: Timestamp) -> TaskStep {
        guard record.state == .waiting, let dueAt = record.dueAt, dueAt <= moment else { return .timeCame }
        // Its deadline is delivered concurrently, and needs no token.
        guard !record.isOverdue(at: moment) else { return .deadlinePassed }
        let destination = destination(of: record)
        let (pause, tokenWait) = state.withLock { state -> (Duration?, Duration?) in
            let now = context.monotonic.now
            if let destination, let pause = state.admission.pause(of: destination, for: record.id, at: now) {
                return (pause, nil)
            }
            guard record.needsToken else { return (nil, nil) }
            return (nil, state.admission.retryPause(session: record.session, to: destination, at: now))
        }
        if let pause, let destination {
            return step(of: record, to: destination, putOffBy: pause, at: moment)
        }
        guard let tokenWait, let next = nextTry(of: record, after: tokenWait, at: moment) else { return .timeCame }
        return .putOff(until: next)
    }

    /// Takes what a task needs besides its slot in the session: a slot at its destination, and a token for a retry.
    ///
    /// - Returns: False if the task does not begin now. Its slot is given back, and it is put off or queued later.
    func mayBegin(
        _ start: Admission.Start, _ record: TaskRecord, to destination: Admission.DestinationKey?, needsToken: Bool
    ) async -> Bool {
        let verdict = state.withLock {
            $0.admission.begin(
                record.queuePosition, session: record.session, to: destination, needsToken: needsToken,
                at: context.monotonic.now)
        }
        switch verdict {
        case .begins:
            return true
        case .waits:
            startReadyTasks()
        case .later(let wait):
            startReadyTasks()
            if let destination {
                await deliver(step(of: record, to: destination, putOffBy: wait, at: context.now()), to: record)
            }
        case .lacksToken(let wait):
            guard let next = nextTry(of: record, after: wait, at: context.now()) else {
                let begins = await mayBegin(start, record, to: destination, needsToken: false)
                // Other tasks of the destination were queued again for its free slots.
                startReadyTasks()
                return begins
            }
            startReadyTasks()
            await deliver(.putOff(until: next, ifReadyAt: record.readyAt), to: record)
            // Not before, so that no more retries are put off at a time than the session has slots.
            giveBack(start)
        }
        return false
    }

    /// Returns the time at which a retry without a token tries again; `nil` if its last attempt is made now.
    ///
    /// It is not postponed beyond the time in which its task may be tried: the last attempt is made without a token. A
    /// retry that is still queued after that and ``grace`` is late already, and needs a token like any other.
    private func nextTry(of record: TaskRecord, after wait: Duration, at moment: Timestamp) -> Timestamp? {
        var next = moment.adding(wait)
        let left = retryRule(of: record).maxElapsed.flatMap { longest in
            record.startedAt.map { longest - context.wall.elapsed(since: $0) }
        }
        if let left, left > .zero - Self.grace { next = min(next, moment.adding(left)) }
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
    /// the tasks of a destination that is gone would become more and more. The failure must be recent: later than
    /// the last change of the task, and with a pause that is not over. After that, or if nothing was sent for long,
    /// the next attempt of any task shows whether the destination works.
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
        let failure = state.withLock { $0.admission.failureAge(of: destination, at: context.monotonic.now) }
        if let failure, failure < context.wall.elapsed(since: record.updatedAt),
            let longest = retryRule(of: record).longestElapsed,
            context.wall.elapsed(since: record.startedAt ?? record.createdAt) > longest
        {
            return .destinationFailed
        }
        let next = moment.adding(pause)
        return .putOff(until: record.deadline.map { min(next, $0) } ?? next, ifReadyAt: record.readyAt)
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

extension TaskRecord {
    /// True for a retry that takes a token of the retry budget when it begins; one that a client wants at once takes
    /// none.
    var needsToken: Bool { attemptCount > 0 && readyAt != .earliest }
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
