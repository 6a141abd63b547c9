import ErrandLocking
public import ErrandTransfer

/// One request of a session, which its owner can start, suspend, resume, cancel, observe and await.
///
/// Created suspended by ``Session/task(_:sink:)``. Any thread.
///
/// ```swift
/// let task = try session.task(TaskRequest(path: "reports/2026"))
/// task.resume()
/// for await progress in task.progressUpdates { print(progress.received) }
/// let outcome = await task.outcome
/// ```
///
/// If a task was suspended so long that its connection was closed (``SessionConfiguration/suspendedKeep``), or if the
/// connection was lost meanwhile, resuming it sends the request again; if the request may have arrived and must not be
/// sent twice, the task fails instead. After other failures it makes further attempts if the retriers of its hooks say
/// so.
public final class SessionTask: Sendable {
    /// The states of a task, the same four as in URLSession.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The task is running.
        case running
        /// The task has not started, or is suspended.
        case suspended
        /// The task was canceled, and its connection is being closed.
        case canceling
        /// The task has ended.
        case completed
    }

    /// The task's number in its session.
    public let id: SessionTaskID
    /// The request.
    public let request: PreparedRequest

    private let session: Session
    private let attempts: any TaskAttempts
    /// The calls of the request's progress handler; `nil` without one.
    private let teller: ProgressTeller?
    private let broadcaster = EventBroadcaster<SessionTaskEvent>()
    private let shared = Mutex(Shared())

    fileprivate struct Shared {
        var machine = SessionTaskMachine()
        var control = AttemptControl()
        /// The count of the attempts; `nil` before the first one, and for a request without retriers.
        var retrying: Retrying?
        var outcome: SessionOutcome?
        var waiters: [Continuation<SessionOutcome>] = []
        /// The queue of steps that have not been performed yet.
        var steps = DrainQueue<Step>()
    }

    /// A step that performs a decision.
    fileprivate enum Step: Sendable {
        case start(AttemptControl)
        case suspend(AttemptControl)
        case resume(AttemptControl)
        case close(AttemptControl)
        case complete(SessionOutcome)
    }

    init(id: SessionTaskID, _ request: PreparedRequest, session: Session, attempts: any TaskAttempts) {
        self.id = id
        self.request = request
        self.session = session
        self.attempts = attempts
        teller = session.progressTeller(for: request, of: attempts)
    }

    // MARK: Control

    /// Starts or resumes the task.
    public func resume() {
        decide { $0.resume() }
    }

    /// Suspends the task: it stops reading and writing, and its timeouts do not run.
    public func suspend() {
        decide { $0.suspend() }
    }

    /// Cancels the task: its connection is closed at once, and it fails with ``SessionError/canceled``.
    public func cancel() {
        decide { $0.cancel() }
    }

    // MARK: Observation

    /// The current state.
    public var state: State {
        shared.withLock { $0.machine.state }
    }

    /// The URL of the current request, after the redirects so far.
    var url: HTTPURL {
        shared.withLock { $0.control }.url ?? request.transfer.url
    }

    /// The progress of the current transfer, or of the last one.
    ///
    /// A handler (``TaskRequest/progress``) is told of the progress over all attempts, with its rate.
    public var progress: TransferProgress {
        shared.withLock { $0.control }.progress
    }

    /// The progress of the transfer: the current value, then every change, at most ten times a second, and the last
    /// value at the end.
    public var progressUpdates: some AsyncSequence<TransferProgress, Never> & Sendable {
        ProgressUpdates(isOver: { self.state == .completed }, progress: { self.progress })
    }

    /// The events of the task from now on, until its end.
    ///
    /// A listener that falls behind by more than a thousand events loses the oldest ones.
    public var events: some AsyncSequence<SessionTaskEvent, Never> & Sendable {
        broadcaster.events()
    }

    /// The outcome of the task; waits until it has ended.
    ///
    /// Canceling the waiting Swift task does not cancel this task.
    public var outcome: SessionOutcome {
        get async {
            await withContinuation { continuation in
                let outcome = shared.withLock { shared in
                    if shared.outcome == nil { shared.waiters.append(continuation) }
                    return shared.outcome
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        }
    }

    /// The response of a successful task; waits until it has ended.
    ///
    /// - Throws: The error of the task, with its response (``SessionError/response``).
    public var response: SessionResponse {
        get async throws(SessionError) {
            try await outcome.success(showing: session.configuration.response.disposition.maxErrorBytes)
        }
    }

    /// Starts the task and waits for its end; canceling the calling Swift task cancels it.
    ///
    /// - Throws: As ``response``.
    package func run() async throws(SessionError) -> SessionResponse {
        resume()
        await untilEnded { self.cancel() }
        return try await response
    }

    /// Waits for the end of the task; a cancellation of the calling Swift task calls `cancel`.
    ///
    /// It returns nothing and does not throw, because the cancellation handler does not support typed errors.
    package func untilEnded(onCancel cancel: @Sendable () -> Void) async {
        await withTaskCancellationHandler {
            _ = await outcome
        } onCancel: {
            cancel()
        }
    }

    // MARK: Performing

    private func decide(_ event: (inout SessionTaskMachine) -> SessionTaskMachine.Action) {
        let mayPerform = shared.withLock { shared in
            let action = event(&shared.machine)
            // Each attempt has its own control.
            if action == .start { shared.control = AttemptControl() }
            return shared.append(action)
        }
        if mayPerform { perform() }
    }

    private func perform() {
        while let step = shared.withLock({ $0.steps.next() }) {
            switch step {
            case .start(let control):
                observer.emit(.resumed)
                Task { await attempt(control) }
            case .suspend(let control):
                if control.suspend() { observer.emit(.suspended) }
            case .resume(let control):
                // The response may come before this call returns.
                control.resume { observer.emit(.resumed) }
            case .close(let control):
                control.cancel()
            case .complete(let outcome):
                complete(outcome)
            }
        }
    }

    private func attempt(_ first: AttemptControl) async {
        let time = session.time
        // A task that was suspended for too long comes here again, with the same count.
        var retrying = shared.withLock { $0.retrying } ?? Retrying(request, time: time)
        var next: AttemptControl? = first
        while let control = next {
            var outcome = await attempts.conclude(await run(control)) { self.state == .canceling }
            session.report(outcome, of: request, id)
            if var retries = retrying {
                let last = await retries.finalOutcome(after: outcome, of: request, time: time, control)
                retrying = retries
                // Before the end of the attempt is recorded: after that, resuming the task starts another one.
                shared.withLock { $0.retrying = retries }
                if last == nil, let again = controlOfRetry() {
                    next = again
                    continue
                }
                outcome = last ?? outcome
            }
            if let teller { await tell(teller, of: outcome, control) }
            next = attemptEnded(outcome)
        }
    }

    /// Reports the progress after an attempt: all of it, unless another attempt follows at once.
    ///
    /// A server may end the responses of a download after every few bytes: these reports have the same limit as others.
    private func tell(_ teller: ProgressTeller, of outcome: SessionOutcome, _ control: AttemptControl) async {
        if outcome.mayRestart, state == .running {
            teller.noteEnd()
        } else {
            await teller.attemptsDidEnd(control, isSuccess: outcome.error == nil && !outcome.mayRestart)
        }
    }

    private func run(_ control: AttemptControl) async -> SessionOutcome {
        do throws(SessionError) {
            attempts.willBegin(RunningAttempt(in: session, control: control, teller: teller))
            let attempt = try await attempts.next(request)
            return await session.run(attempt.request, sink: attempt.sink, control: control, observer: observer)
        } catch {
            return SessionOutcome(error: error)
        }
    }

    /// Returns the control of the attempt that follows a failed one; `nil` if the task was canceled meanwhile.
    private func controlOfRetry() -> AttemptControl? {
        shared.withLock { shared -> AttemptControl? in
            guard shared.machine.mayRetry else { return nil }
            shared.control = AttemptControl(isSuspended: shared.machine.state == .suspended)
            return shared.control
        }
    }

    /// Records the end of an attempt.
    ///
    /// - Returns: The control of the next attempt, if one must start at once.
    private func attemptEnded(_ outcome: SessionOutcome) -> AttemptControl? {
        let (next, mayPerform) = shared.withLock { shared -> (AttemptControl?, Bool) in
            let action = shared.machine.attemptEnded(mayRestart: outcome.mayRestart)
            guard action == .start else { return (nil, shared.append(action, of: outcome)) }
            shared.control = AttemptControl()
            return (shared.control, false)
        }
        if mayPerform { perform() }
        return next
    }

    private func complete(_ outcome: SessionOutcome) {
        attempts.didComplete(outcome)
        // A task that was canceled when another attempt was to follow at once has not reported its end.
        teller?.stop()
        // A source of which nothing was sent may still be reading ahead.
        if case .source(let source) = request.transfer.body { source.abandon() }
        let waiters = shared.withLock { shared in
            shared.outcome = outcome
            defer { shared.waiters = [] }
            return shared.waiters
        }
        observer.emit(.completed(outcome))
        broadcaster.finish()
        session.didComplete(self)
        // Resumed last, so that everything above precedes the waiters' next actions.
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    private var observer: AttemptObserver {
        AttemptObserver(id: id, session: session.broadcaster, task: broadcaster, progress: teller)
    }
}

extension SessionTask.Shared {
    /// Queues the step of a decision; returns as ``DrainQueue/append(_:)``.
    fileprivate mutating func append(
        _ action: SessionTaskMachine.Action, of outcome: SessionOutcome = SessionOutcome()
    ) -> Bool {
        switch action {
        case .none: return false
        case .start: return steps.append(.start(control))
        case .suspend: return steps.append(.suspend(control))
        case .resume: return steps.append(.resume(control))
        case .close: return steps.append(.close(control))
        case .complete: return steps.append(.complete(outcome))
        case .completeCanceled:
            var canceled = outcome
            canceled.error = .canceled
            return steps.append(.complete(canceled))
        }
    }
}
