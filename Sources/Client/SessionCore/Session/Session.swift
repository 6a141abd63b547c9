import ErrandAuthentication
public import ErrandCookies
import ErrandLocking
import ErrandTime
public import ErrandTransfer

/// A session: requests to one upstream with one configuration, over one transport.
///
/// Any thread.
///
/// ```swift
/// let session = Session(configuration, transport: transport)
/// let request = try session.prepare(TaskRequest(path: "users/1"))
/// let outcome = await session.run(request, sink: MemorySink())
/// ```
///
/// Callers that do not need the separate steps use ``task(_:sink:)`` or ``data(for:)``.
public final class Session: Sendable {
    /// The configuration.
    public let configuration: SessionConfiguration

    let broadcaster: EventBroadcaster<SessionEvent>
    private let parts: SessionParts
    private let builder: RequestBuilder
    private let life = Mutex(SessionLife())

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - transport: The transport that performs the transfers, created with the configuration's
    ///     ``SessionConfiguration/transportOptions``.
    ///   - former: The session that this one replaces. Both together stay within the rate of this one
    ///     (``SessionConfiguration/limits``). If both have the same cookie policy, they share their cookies, and
    ///     `cookieStorage` is not used. If both have the same base URL, connect to it in the same way and probe it in
    ///     the same way, this one begins with the ``reachability`` of `former`.
    ///   - keepsCookies: False to share no cookies with `former`, and not to begin with its ``reachability``. Default:
    ///     true.
    ///   - cookieStorage: The storage of cookies that are ``CookiePolicy/persistent``.
    ///   - onCookieFailure: Called if cookies could not be stored; they are retried with the next change.
    ///   - onReachabilityChange: Called for each change of ``reachability``, in order, on any thread: for callers that
    ///     must not miss a change, as a slow listener of ``events`` may.
    ///   - uploads: Opens the files that tasks send; `nil` if tasks cannot send any.
    ///   - hooks: The code of the program that the session calls. Default: none.
    ///   - reading: The limit on stored content loaded into memory, shared by all sessions that are given the same
    ///     object.
    ///   - clock: The clock for suspensions, probes and the validity of tokens.
    ///   - now: Returns the time of day, in seconds since 1970, for cookies and signatures; `nil` for the system's.
    public init(
        _ configuration: SessionConfiguration, transport: any Transport, continuing former: Session? = nil,
        keepsCookies: Bool = true,
        cookieStorage: (any CookieStorage)? = nil,
        onCookieFailure: @escaping @Sendable (CookieStorageError) -> Void = { _ in },
        onReachabilityChange: @escaping @Sendable (Reachability) -> Void = { _ in },
        uploads: (any UploadFiles)? = nil, hooks: SessionHooks = SessionHooks(),
        reading: ReadingBudget = ReadingBudget(),
        clock: any Clock<Duration> = ContinuousClock(), now: (@Sendable () -> Int64)? = nil
    ) {
        self.configuration = configuration
        let now: @Sendable () -> Int64 = now ?? { SystemClock.secondsSince1970() }
        let broadcaster = EventBroadcaster<SessionEvent>()
        self.broadcaster = broadcaster
        builder = RequestBuilder(configuration, uploads: uploads, hooks: hooks)
        let authenticator = configuration.credentials.map {
            Authenticator(
                $0, transport: transport, userAgent: configuration.userAgent,
                clock: AuthenticationClock(clock, now: now))
        }
        let cookies: SessionCookies? =
            switch (configuration.cookies, cookieStorage) {
            case (.off, _): nil
            case (former?.configuration.cookies, _) where keepsCookies: former?.parts.cookies
            case (.persistent, let storage?): SessionCookies(storage: storage, now: now, onFailure: onCookieFailure)
            case (.ephemeral, _), (.persistent, nil): SessionCookies(now: now)
            }
        let known: Reachability =
            if keepsCookies, let former, configuration.sharesReachability(with: former.configuration) {
                former.reachability
            } else {
                .unknown
            }
        let reachability = ReachabilityMonitor(
            configuration, transport: transport, authenticator: authenticator, headers: builder.ownHeaders,
            foreignHeaders: builder.foreignHeaders, clock: clock, knowing: known
        ) { change in
            broadcaster.emit(.reachability(change))
            onReachabilityChange(change)
        }
        let time = MonotonicClock(clock)
        let pacing = former?.parts.pacing ?? SessionPacing { time.now }
        pacing.setBytesPerSecond(configuration.limits.bytesPerSecond)
        parts = SessionParts(
            configuration: configuration, transport: transport, authenticator: authenticator, cookies: cookies,
            reachability: reachability,
            pacing: pacing, reading: reading, time: time)
    }

    /// The name by which tasks refer to the session.
    public var name: String { configuration.name }

    /// The code of the program that the session calls.
    public var hooks: SessionHooks { builder.hooks }

    /// The cookies; `nil` for a session without them.
    var cookies: SessionCookies? { parts.cookies }

    /// The time by which the session pauses.
    var time: MonotonicClock { parts.time }

    // MARK: Attempts

    /// Validates a request by the session's rules and prepares it for sending.
    ///
    /// - Throws: All problems of the request.
    public func prepare(_ request: TaskRequest) throws(RequestProblems) -> PreparedRequest {
        try builder.build(request)
    }

    /// Validates a request as ``prepare(_:)`` does, and prepares it without a limit on the rate of its form.
    func prepareUnthrottled(_ request: TaskRequest) throws(RequestProblems) -> PreparedRequest {
        try builder.withoutThrottle().build(request)
    }

    /// Returns true if this session has prepared the request, so that its current rules were applied.
    package func hasPrepared(_ request: PreparedRequest) -> Bool {
        request.builder === builder
    }

    /// Runs one attempt at a prepared request, including redirects.
    ///
    /// Canceling the calling Swift task closes the connection at once; the error is then ``SessionError/canceled``.
    ///
    /// - Parameters:
    ///   - request: A request from ``prepare(_:)``. If its content comes from a source, it can run only once: a source
    ///     has one reader and is not at its beginning afterwards.
    ///   - sink: The destination of the content, up to the configured size. The session finishes or discards it.
    ///   - control: The control of the attempt; one for each.
    /// - Returns: The outcome. Never throws: a failure may have a response and has metrics.
    public func run(
        _ request: PreparedRequest, sink: any BodySink, control: AttemptControl = AttemptControl()
    ) async -> SessionOutcome {
        let observer = AttemptObserver(
            id: life.withLock { $0.number() }, session: broadcaster, task: nil, progress: progressTeller(for: request))
        let outcome = await run(request, sink: sink, control: control, observer: observer, isAlone: true)
        await observer.progress?.attemptsDidEnd(control, isSuccess: outcome.error == nil)
        observer.emit(.completed(outcome))
        // Last, as the events of a session that is closed may end with it.
        finish(life.withLock { $0.end(observer.id) })
        return outcome
    }

    /// Returns the calls of the request's progress handler; `nil` if it has none.
    ///
    /// - Parameter attempts: The attempts of a task. Default: `nil`, one attempt without a task.
    func progressTeller(for request: PreparedRequest, of attempts: (any TaskAttempts)? = nil) -> ProgressTeller? {
        guard let extras = request.extras, let handler = extras.progress else { return nil }
        return ProgressTeller(
            handler, statuses: extras.acceptableStatuses ?? configuration.response.acceptableStatuses, time: time,
            attempts: attempts)
    }

    /// Runs one attempt.
    ///
    /// - Parameters:
    ///   - running: The control of the attempt to which this one belongs; `nil` for none.
    ///   - isAlone: True for an attempt without a task: its monitors are told here, and the caller records its end. A
    ///     task tells its monitors itself, when it has concluded the outcome.
    func run(
        _ request: PreparedRequest, sink: any BodySink, control: AttemptControl, observer: AttemptObserver,
        beside running: AttemptControl? = nil, isAlone: Bool = false
    ) async -> SessionOutcome {
        guard life.withLock({ $0.begin(observer.id, control, beside: running) }) else {
            await sink.discard()
            return SessionOutcome(error: SessionError(.sessionClosed, "The session is closed"))
        }
        let attempt = Attempt(session: parts, prepared: request, sink: sink, control: control, observer: observer)
        let outcome = await attempt.run()
        if isAlone {
            report(outcome, of: request, observer.id)
        } else {
            finish(life.withLock { $0.end(observer.id) })
        }
        return outcome
    }

    /// Tells the monitors of a request that an attempt has ended.
    ///
    /// Not inlined, because its values would become a part of the frame of a function that suspends.
    @inline(never)
    func report(_ outcome: SessionOutcome, of request: PreparedRequest, _ id: SessionTaskID) {
        guard let monitors = request.extras?.hooks.monitors, !monitors.isEmpty else { return }
        let attempt = MonitoredAttempt(
            session: name, task: id, method: request.transfer.method, url: request.transfer.url, outcome: outcome)
        for monitor in monitors { monitor.attemptDidEnd(attempt) }
    }

    /// Runs a further request of an attempt, which reports neither events nor progress of its own, nor to monitors.
    ///
    /// - Parameters:
    ///   - running: The control of the attempt.
    ///   - control: The control of this request alone.
    func runBeside(
        _ request: PreparedRequest, of running: AttemptControl, sink: any BodySink, control: AttemptControl
    ) async -> SessionOutcome {
        let observer = AttemptObserver(
            id: life.withLock { $0.number() }, session: EventBroadcaster(), task: nil, progress: nil)
        return await run(request, sink: sink, control: control, observer: observer, beside: running)
    }

    // MARK: Tasks

    /// Creates a suspended task; ``SessionTask/resume()`` starts it.
    ///
    /// A session and its tasks retain each other until they have ended: a task that is never resumed must be canceled.
    /// A task that has ended retains the session, with its connections, for as long as the program keeps the task. A
    /// `DownloadTask` and a ``StreamedResponse`` do the same.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - sink: Creates the destination of the content, once for each attempt; memory by default.
    /// - Throws: All problems of the request as one error, or ``SessionErrorCode/sessionClosed``.
    public func task(
        _ request: TaskRequest, sink: @escaping @Sendable () -> any BodySink = { MemorySink() }
    ) throws(SessionError) -> SessionTask {
        try task(request, attempts: RepeatedAttempts(makeSink: sink))
    }

    /// Creates a suspended task with its own attempts; as ``task(_:sink:)``.
    package func task(_ request: TaskRequest, attempts: any TaskAttempts) throws(SessionError) -> SessionTask {
        let prepared: PreparedRequest
        do throws(RequestProblems) {
            prepared = try prepare(request)
        } catch {
            throw error.error
        }
        // Within one lock: a session closed in between would not know the task.
        let task = life.withLock { life in
            life.accept { SessionTask(id: $0, prepared, session: self, attempts: attempts) }
        }
        guard let task else { throw SessionError(.sessionClosed, "The session is closed") }
        return task
    }

    /// A snapshot of the tasks that have not ended, in the order of their creation.
    public var tasks: [SessionTask] {
        life.withLock { $0.tasks }
    }

    func didComplete(_ task: SessionTask) {
        finish(life.withLock { $0.remove(task) })
    }

    /// Forgets what the session has received from its upstream, as if it had just been created.
    ///
    /// | what | |
    /// | --- | --- |
    /// | cookies | deleted, also in the cookie storage |
    /// | tokens of OAuth 2, challenges of Digest | forgotten: the next request asks for new ones |
    /// | connections | closed when no transfer uses them; later transfers, name lookups and TLS handshakes are new |
    ///
    /// Kept are the configuration with its credentials, the hooks (``TokenRefresher/reset()`` discards the tokens of
    /// one), the listeners of ``events``, the ``reachability``, and the tasks: those under way continue, and what they
    /// receive afterwards counts. The former session, if this one continues it, shares the deleted cookies. Any thread;
    /// may be called any number of times.
    ///
    /// - Throws: An error if the cookie storage could not be read or written. The rest has been done, and the deletion
    ///   is retried with the next change.
    public func reset() async throws(CookieStorageError) {
        parts.authenticator?.reset()
        parts.transport.renewConnections()
        try await removeCookies()
    }

    // MARK: Observation

    /// The events of the session from now on, until it is invalidated.
    ///
    /// A listener that falls behind by more than a thousand events loses the oldest ones. The outcomes of tasks have no
    /// content here: their responses have neither ``SessionResponse/body`` nor ``SessionResponse/object``, which are
    /// with ``SessionTask/events`` and ``SessionTask/outcome``.
    public var events: some AsyncSequence<SessionEvent, Never> & Sendable {
        broadcaster.events()
    }

    /// The reachability of the upstream, as far as the session knows.
    public var reachability: Reachability {
        parts.reachability.current
    }

    /// Starts probing the upstream, if the configuration asks for it.
    public func startMonitoring() {
        parts.reachability.start()
    }

    /// Stops the probes.
    public func stopMonitoring() {
        parts.reachability.stop()
    }

    // MARK: End

    /// Closes the session: it accepts no more tasks and attempts.
    ///
    /// Returns when its last task has ended. It also waits for suspended tasks. Canceling the calling Swift task ends
    /// only the wait: the session stays closed, and its events end with its last task.
    ///
    /// A hook may cancel the tasks, for example to log out after a 401: its own request is canceled too, which ends
    /// the wait of the hook. A hook must not pass false: it would wait for its own request.
    ///
    /// - Parameter cancelingTasks: True to cancel the tasks; false to let them end.
    public func invalidate(cancelingTasks: Bool) async {
        let (tasks, controls, waiter) = life.withLock { $0.close() }
        if cancelingTasks {
            for task in tasks { task.cancel() }
            for control in controls { control.cancel() }
        }
        await withTaskCancellationHandler {
            await withContinuation { (continuation: Continuation<Void>) in
                finish(life.withLock { $0.wait(continuation, as: waiter) })
                // Of a task that was canceled before, the handler was called too early.
                if Task.isCancelled { stopWaiting(waiter) }
            }
        } onCancel: {
            stopWaiting(waiter)
        }
    }

    /// Lets a caller of ``invalidate(cancelingTasks:)`` return before the end of the session.
    private func stopWaiting(_ waiter: Int) {
        life.withLock { $0.stopWaiting(waiter) }?.resume()
    }

    /// Ends the events of a session that has ended, and lets the callers return that wait for it.
    @inline(never)
    private func finish(_ waiters: [Continuation<Void>]?) {
        guard let waiters else { return }
        parts.reachability.end()
        broadcaster.emit(.invalidated)
        broadcaster.finish()
        for waiter in waiters { waiter.resume() }
    }
}
