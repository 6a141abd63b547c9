import Authentication
public import Cookies
import Locking
public import Transfer

/// A session: requests to one upstream by one set of rules, over one transport.
///
/// Any thread.
///
/// ```swift
/// let session = Session(configuration, transport: transport)
/// let request = try session.prepare(TaskRequest(path: "users/1"))
/// let outcome = await session.run(request, sink: MemorySink())
/// ```
///
/// Whoever has no need for the steps in between takes ``task(_:sink:)`` or ``data(for:)``.
public final class Session: Sendable {
    /// The rules.
    public let configuration: SessionConfiguration

    let hub: EventHub<SessionEvent>
    private let parts: SessionParts
    private let builder: RequestBuilder
    private let life = Mutex(SessionLife())

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - configuration: The rules.
    ///   - transport: Who performs the transfers. It has been given the configuration's connection options by whoever
    ///     made it.
    ///   - former: The session that this one takes the place of: when both do the same with cookies, they share them,
    ///     and `cookieStorage` is not used.
    ///   - cookieStorage: Where cookies outlive the session when they are ``CookiePolicy/persistent``.
    ///   - onCookieFailure: Told when cookies could not be written there; they are tried again with the next.
    ///   - onReachabilityChange: Told when ``reachability`` has changed, in order, on any thread: for whoever must not miss
    ///     a change, as a slow listener of ``events`` may.
    ///   - uploads: Opens the files that tasks send; `nil` when tasks cannot send any.
    ///   - clock: Measures how long a task is suspended, the time between probes and the validity of tokens.
    ///   - now: The time of day, in seconds since 1970, for cookies and signatures.
    public init(
        _ configuration: SessionConfiguration, transport: any Transport, continuing former: Session? = nil,
        cookieStorage: (any CookieStorage)? = nil,
        onCookieFailure: @escaping @Sendable (CookieStorageError) -> Void = { _ in },
        onReachabilityChange: @escaping @Sendable (Reachability) -> Void = { _ in },
        uploads: (any UploadFiles)? = nil, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Int64 = WallClock.now
    ) {
        self.configuration = configuration
        let hub = EventHub<SessionEvent>()
        self.hub = hub
        builder = RequestBuilder(configuration, uploads: uploads)
        let authenticator = configuration.credentials.map {
            Authenticator($0, transport: transport, clock: AuthenticationClock(clock, now: now))
        }
        let cookies: SessionCookies? =
            switch (configuration.cookies, cookieStorage) {
            case (.off, _): nil
            case (former?.configuration.cookies, _): former?.parts.cookies
            case (.persistent, let storage?): SessionCookies(storage: storage, now: now, onFailure: onCookieFailure)
            case (.ephemeral, _), (.persistent, nil): SessionCookies(now: now)
            }
        let reachability = ReachabilityMonitor(
            configuration, transport: transport, authenticator: authenticator, headers: builder.ownHeaders,
            clock: clock
        ) { change in
            hub.emit(.reachability(change))
            onReachabilityChange(change)
        }
        let instants = clock.instants()
        parts = SessionParts(
            configuration: configuration, transport: transport, authenticator: authenticator, cookies: cookies,
            reachability: reachability,
            pacing: SessionPacing(bytesPerSecond: configuration.limits.bytesPerSecond, now: instants), clock: clock,
            instants: instants)
    }

    /// The name that tasks refer to the session by.
    public var name: String { configuration.name }

    // MARK: Attempts

    /// Judges a request by the session's rules and makes what goes to the wire.
    ///
    /// - Throws: Everything that is wrong with it.
    public func prepare(_ request: TaskRequest) throws(RequestProblems) -> PreparedRequest {
        try builder.build(request)
    }

    /// Whether this session has prepared a request, and so by the rules that it has.
    package func hasPrepared(_ request: PreparedRequest) -> Bool {
        request.maker === builder.maker
    }

    /// Makes one attempt at a prepared request, redirects included.
    ///
    /// Cancelling the calling Swift task closes the connection at once; the error is ``SessionError/canceled`` then.
    ///
    /// - Parameters:
    ///   - request: Made by ``prepare(_:)``. One whose content comes from a source is run once: a source has one
    ///     reader, and stands where the last one left it.
    ///   - sink: Where the content goes, up to the configured size. The session finishes or discards it.
    ///   - control: Steers the attempt; one for each.
    /// - Returns: How it ended. Never throws: a failure may have a response and has metrics.
    public func run(
        _ request: PreparedRequest, sink: any BodySink, control: AttemptControl = AttemptControl()
    ) async -> SessionOutcome {
        let observer = AttemptObserver(id: life.withLock { $0.number() }, session: hub, task: nil)
        let outcome = await run(request, sink: sink, control: control, observer: observer)
        observer.emit(.completed(outcome))
        return outcome
    }

    func run(
        _ request: PreparedRequest, sink: any BodySink, control: AttemptControl, observer: AttemptObserver
    ) async -> SessionOutcome {
        guard life.withLock({ $0.begin(observer.id, control) }) else {
            await sink.discard()
            return SessionOutcome(error: SessionError(.sessionClosed, "The session is closed"))
        }
        let attempt = Attempt(session: parts, prepared: request, sink: sink, control: control, observer: observer)
        let outcome = await attempt.run()
        finish(life.withLock { $0.end(observer.id) })
        return outcome
    }

    // MARK: Tasks

    /// Makes a task, suspended: ``SessionTask/resume()`` begins it.
    ///
    /// A task keeps its session until it has ended: one that is never resumed has to be cancelled.
    ///
    /// - Parameters:
    ///   - request: What to request.
    ///   - sink: Makes where the content goes, once for each attempt; memory by default.
    /// - Throws: Everything that is wrong with the request, or that the session is closed.
    public func task(
        _ request: TaskRequest, sink: @escaping @Sendable () -> any BodySink = { MemorySink() }
    ) throws(SessionError) -> SessionTask {
        let prepared: PreparedRequest
        do throws(RequestProblems) {
            prepared = try prepare(request)
        } catch {
            throw error.error
        }
        // In one go: a session that is closed in between would not know of the task.
        let task = life.withLock { life in
            life.accept { SessionTask(id: $0, prepared, session: self, makeSink: sink) }
        }
        guard let task else { throw SessionError(.sessionClosed, "The session is closed") }
        return task
    }

    /// The tasks that have not ended, in the order in which they were made: those of one moment.
    public var tasks: [SessionTask] {
        life.withLock { $0.tasks }
    }

    func didComplete(_ task: SessionTask) {
        finish(life.withLock { $0.remove(task) })
    }

    /// Waits until the session's cookie storage knows all cookies that there are now.
    ///
    /// - Throws: Why it could not be told.
    public func flushCookies() async throws(CookieStorageError) {
        try await parts.cookies?.flush()
    }

    // MARK: Watching

    /// What happens in the session from now on, until it is invalidated.
    ///
    /// Who is slower than what happens by over a thousand events loses the oldest of them.
    public var events: some AsyncSequence<SessionEvent, Never> & Sendable {
        hub.events()
    }

    /// Whether the upstream can be reached, as far as the session knows.
    public var reachability: Reachability {
        parts.reachability.current
    }

    /// Begins to probe the upstream, where the configuration says so.
    public func startMonitoring() {
        parts.reachability.start()
    }

    /// Ends the probes.
    public func stopMonitoring() {
        parts.reachability.stop()
    }

    // MARK: The end

    /// Closes the session: it accepts nothing more.
    ///
    /// The call ends when the last of its tasks has ended. Tasks that are suspended are waited for, too.
    ///
    /// - Parameter cancelingTasks: Whether tasks are cancelled; otherwise those that there are may end.
    public func invalidate(cancelingTasks: Bool) async {
        let (tasks, controls) = life.withLock { $0.close() }
        if cancelingTasks {
            for task in tasks { task.cancel() }
            for control in controls { control.cancel() }
        }
        await withCheckedContinuation { continuation in
            finish(life.withLock { $0.wait(continuation) })
        }
    }

    private func finish(_ waiters: [CheckedContinuation<Void, Never>]?) {
        guard let waiters else { return }
        parts.reachability.end()
        hub.emit(.invalidated)
        hub.finish()
        for waiter in waiters { waiter.resume() }
    }
}
