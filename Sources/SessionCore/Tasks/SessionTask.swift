import Locking
public import Transfer

/// One request of a session, as its owner sees it: begun, held, let go, cancelled, watched and waited for.
///
/// Made suspended by ``Session/task(_:sink:)``. Any thread.
///
/// ```swift
/// let task = try session.task(TaskRequest(path: "reports/2026"))
/// task.resume()
/// for await progress in task.progressUpdates { print(progress.received) }
/// let outcome = await task.outcome
/// ```
///
/// A task that was suspended so long that its connection was closed (``SessionConfiguration/suspendedKeep``), or whose
/// connection was lost meanwhile, begins again when it goes on; one whose request may have arrived and may not be sent
/// twice fails instead.
public final class SessionTask: Sendable {
    /// What a task is doing: the four states of a task of URLSession.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// It is on its way.
        case running
        /// It has not begun, or stands still.
        case suspended
        /// Its connection is being closed.
        case canceling
        /// It is over.
        case completed
    }

    /// The task's number in its session.
    public let id: SessionTaskID
    /// What is sent.
    public let request: PreparedRequest

    private let session: Session
    private let makeSink: @Sendable () -> any BodySink
    private let hub = EventHub<SessionTaskEvent>()
    private let shared = Mutex(Shared())

    fileprivate struct Shared {
        var machine = SessionTaskMachine()
        var control = AttemptControl()
        var outcome: SessionOutcome?
        var waiters: [CheckedContinuation<SessionOutcome, Never>] = []
        /// What was decided and is not done.
        var steps = ActionQueue<Step>()
    }

    /// What is done about a decision.
    fileprivate enum Step: Sendable {
        case start(AttemptControl)
        case hold(AttemptControl)
        case letGo(AttemptControl)
        case close(AttemptControl)
        case complete(SessionOutcome)
    }

    init(
        id: SessionTaskID, _ request: PreparedRequest, session: Session,
        makeSink: @escaping @Sendable () -> any BodySink
    ) {
        self.id = id
        self.request = request
        self.session = session
        self.makeSink = makeSink
    }

    // MARK: Steering

    /// Begins the task, or lets it go on.
    public func resume() {
        decide { $0.resume() }
    }

    /// Lets the task stand still: it stops reading and writing, and its limits of time stop.
    public func suspend() {
        decide { $0.suspend() }
    }

    /// Ends the task: its connection is closed at once, and it fails with ``SessionError/canceled``.
    public func cancel() {
        decide { $0.cancel() }
    }

    // MARK: Watching

    /// What the task is doing.
    public var state: State {
        shared.withLock { $0.machine.state }
    }

    /// How far the transfer is.
    public var progress: TransferProgress {
        shared.withLock { $0.control }.progress
    }

    /// How far the transfer is, now and whenever that has changed, at most ten times a second, and once more at its end.
    public var progressUpdates: some AsyncSequence<TransferProgress, Never> & Sendable {
        ProgressUpdates(task: self)
    }

    /// What happens to the task from now on, until its end.
    ///
    /// Who is slower than what happens by over a thousand events loses the oldest of them.
    public var events: some AsyncSequence<SessionTaskEvent, Never> & Sendable {
        hub.events()
    }

    /// How the task ended; waits until it has.
    ///
    /// Cancelling who waits does not cancel the task.
    public var outcome: SessionOutcome {
        get async {
            await withCheckedContinuation { continuation in
                let outcome = shared.withLock { shared in
                    if shared.outcome == nil { shared.waiters.append(continuation) }
                    return shared.outcome
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        }
    }

    /// The response of a task that succeeded; waits until it has ended.
    ///
    /// - Throws: Why it failed.
    public var response: SessionResponse {
        get async throws(SessionError) { try await outcome.success }
    }

    // MARK: Performing

    private func decide(_ event: (inout SessionTaskMachine) -> SessionTaskMachine.Action) {
        let mayPerform = shared.withLock { shared in
            let action = event(&shared.machine)
            // A new attempt is steered anew.
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
            case .hold(let control):
                if control.suspend() { observer.emit(.suspended) }
            case .letGo(let control):
                if control.resume() { observer.emit(.resumed) }
            case .close(let control):
                control.cancel()
            case .complete(let outcome):
                complete(outcome)
            }
        }
    }

    private func attempt(_ first: AttemptControl) async {
        var next: AttemptControl? = first
        while let control = next {
            let outcome = await session.run(request, sink: makeSink(), control: control, observer: observer)
            next = attemptEnded(outcome)
        }
    }

    /// - Returns: The control of the attempt that is to be made at once, if one is.
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
        let waiters = shared.withLock { shared in
            shared.outcome = outcome
            defer { shared.waiters = [] }
            return shared.waiters
        }
        observer.emit(.completed(outcome))
        hub.finish()
        session.didComplete(self)
        // At last, so that what they do next comes after all of this.
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    private var observer: AttemptObserver {
        AttemptObserver(id: id, session: session.hub, task: hub)
    }
}

extension SessionTask.Shared {
    /// Has something done about a decision; returns as ``ActionQueue/append(_:)``.
    fileprivate mutating func append(
        _ action: SessionTaskMachine.Action, of outcome: SessionOutcome = SessionOutcome()
    ) -> Bool {
        switch action {
        case .none: return false
        case .start: return steps.append(.start(control))
        case .hold: return steps.append(.hold(control))
        case .letGo: return steps.append(.letGo(control))
        case .close: return steps.append(.close(control))
        case .complete: return steps.append(.complete(outcome))
        case .completeCanceled:
            var canceled = outcome
            canceled.error = .canceled
            return steps.append(.complete(canceled))
        }
    }
}
