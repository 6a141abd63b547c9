package import ErrandConfiguration
package import ErrandGatewayAPI
package import ErrandHTTPServer
package import ErrandSessionCore
package import ErrandTaskEngine
import ErrandTaskEvents
package import ErrandTaskStore
package import ErrandTransfer
package import Logging

/// The gateway: sessions, dispatcher and endpoints around a store, behind one HTTP handler.
///
/// It does not depend on the server that calls the handler, nor on the kind of store and transports passed in.
package final class Gateway: Sendable {
    let store: any TaskStore
    let sessions: SessionCatalog
    let context: TaskContext
    let dispatcher: Dispatcher
    let watch: EventWatch
    let scheduler: Scheduler
    let endpoints: GatewayRoutes
    let reloader: ConfigurationReloader
    let audit: AuditLog
    let pipeline: ReloadableHandler
    let logger: Logger
    private let watchdog: TaskWatchdog

    /// Creates a gateway.
    ///
    /// No task starts before ``start(didReload:)``.
    ///
    /// - Parameters:
    ///   - configuration: The initial configuration.
    ///   - source: Reads the configuration again; if `nil`, ``reload()`` is unavailable.
    ///   - files: The folders of the files with the content of tasks.
    ///   - uploads: Opens the files that tasks upload; if `nil`, uploads of files are unavailable.
    ///   - versions: The names and versions of the program and its libraries, returned by `/version`.
    ///   - clocks: The clocks of all parts; by default those of the system.
    ///   - patience: The longest times that clients wait.
    ///   - stuckAfter: The time without a run of any Swift task after which `/healthz` reports that tasks are stuck.
    ///   - transport: Creates the transport of a session; called again when a session is reset or reconfigured.
    package init(
        configuration: GatewayConfiguration, source: ConfigurationSource? = nil, store: any TaskStore,
        files: ContentFiles, uploads: (any UploadFiles)? = nil, versions: [(name: String, version: String)],
        logger: Logger, clocks: GatewayClocks = GatewayClocks(), patience: ClientPatience = ClientPatience(),
        stuckAfter: Duration = .seconds(10),
        transport: @escaping @Sendable (SessionConfiguration) -> any Transport
    ) throws(RouteError) {
        let sessions = SessionCatalog(
            configuration.sessions, defaultName: configuration.defaultSession,
            callbacks: CallbackSigning(configuration.callbacks),
            factory: SessionFactory(
                cookies: store, uploads: uploads, clock: clocks.elapsed, now: clocks.now, logger: logger,
                transport: transport),
            logger: logger)
        let context = TaskContext(
            store: store, sessions: sessions, files: files, clocks: clocks, patience: patience,
            version: versions.first?.version ?? "", logger: logger)
        context.configure(configuration)
        let dispatcher = Dispatcher(
            context: context, maxRunning: configuration.dispatcher.maxRunning,
            window: configuration.dispatcher.window, retention: configuration.store.retention,
            minFreeBytes: Int64(configuration.files.minFreeBytes))
        let watch = EventWatch(context: context, dispatcher: dispatcher, timer: SharedTimer(clocks.elapsed))
        let scheduler = Scheduler(context: context, dispatcher: dispatcher)
        let watchdog = TaskWatchdog(limit: stuckAfter)
        let reloader = ConfigurationReloader(
            source, inForce: configuration, patience: patience.reload, logger: logger)
        let endpoints = GatewayRoutes(
            context: context, dispatcher: dispatcher, watch: watch, scheduler: scheduler, reloader: reloader,
            versions: versions, watchdog: watchdog)
        let audit = AuditLog(logger)
        pipeline = ReloadableHandler(
            try RequestPipeline(configuration, routes: endpoints.routes(for: configuration), audit: audit),
            meters: endpoints.requestMeters, accessLog: AccessLog(logger))
        self.store = store
        self.sessions = sessions
        self.context = context
        self.dispatcher = dispatcher
        self.watch = watch
        self.scheduler = scheduler
        self.endpoints = endpoints
        self.reloader = reloader
        self.audit = audit
        self.logger = logger
        self.watchdog = watchdog
    }

    /// The handler for requests of clients.
    package var handler: any HTTPHandler { pipeline }

    /// Returns the handler for requests of the owner of the process, who needs no token: the endpoints for operators,
    /// and the reload.
    package func ownerHandler() throws(RouteError) -> any HTTPHandler {
        try RequestPipeline(forOwner: endpoints.ownerRoutes, audit: audit)
    }

    /// The routes of the API, each with the access that it needs.
    var routes: [APIRoute] { endpoints.routes(for: configuration) }

    /// The configuration in force: the initial one, or that of the last reload.
    package var configuration: GatewayConfiguration { reloader.inForce }

    /// Recovers the state of an earlier process.
    ///
    /// All steps of a start that can fail are here. A failed start has sent no request; it may have recovered the tasks
    /// that were running when the earlier process ended.
    package func prepare() async throws(TaskStoreError) {
        let controlStates = try await store.sessionControlStates()
        for controlState in controlStates { sessions.apply(controlState) }
        try await watch.open()
        try await dispatcher.prepare(controlStates: controlStates)
        try await scheduler.load()
        do throws(TaskStoreError) {
            try await scheduler.apply(configuration)
        } catch {
            // Clients can delete tasks, which makes room.
            guard error.code == .diskFull else { throw error }
            scheduler.applyLater(configuration, after: error)
        }
    }

    /// Starts tasks and enables reloads.
    ///
    /// Called last, when the server accepts clients.
    ///
    /// - Parameter didReload: Updates parts outside the gateway for the configuration in force after a reload.
    package func start(didReload: @escaping ConfigurationReloader.DidApply = { _ in }) {
        watchdog.start()
        dispatcher.start()
        sessions.startMonitoring()
        scheduler.open()
        // The closure retains the gateway until it is closed.
        reloader.open({ configuration in try await self.apply(configuration) }, didApply: didReload)
    }

    /// Makes `/readyz` report that the gateway is about to stop, so that load balancers send no more clients; and
    /// follows the tasks that clients poll.
    package func prepareToClose() {
        endpoints.followed.begin()
    }

    /// The number of attempts under way.
    package var attemptsUnderWay: Int { dispatcher.attemptsUnderWay }

    /// Accepts and starts no more tasks, and waits for running attempts, while other requests are served.
    ///
    /// A client that saw a task running by polling has until then learned of its end, unless it polls too rarely.
    ///
    /// - Parameters:
    ///   - patience: The time for running attempts to finish; the others are interrupted and recovered at the next
    ///     start.
    ///   - polls: The longest time after the last attempt for clients to poll once more. It is at most the rest of
    ///     `patience`, or one second.
    package func drain(patience: Duration, polls: Duration) async {
        prepareToClose()
        let end = ContinuousClock.now + patience
        // Concurrently, because a reload or a schedule that waits for the store must not delay the end of attempts.
        async let changes: Void = endChanges()
        await dispatcher.drain(patience: patience)
        await changes
        let rest = max(ContinuousClock.now.duration(to: end), .seconds(1))
        await endpoints.followed.waitUntilRead(within: min(polls, rest)) { [recent = context.recent] id in
            recent.record(id)?.state.isTerminal ?? false
        }
    }

    /// Applies no further configuration and creates no tasks of schedules; waits for what is under way.
    private func endChanges() async {
        await reloader.close()
        await scheduler.close()
    }

    /// Ends waits and streams of clients, and saves the state of the sessions.
    ///
    /// Called after ``drain(patience:polls:)``. The caller closes the store afterwards.
    ///
    /// - Parameter spans: The longest time for sending the last spans.
    package func close(spans: Duration = .seconds(2)) async {
        await dispatcher.close()
        // The dispatcher publishes its last events before the streams end.
        watch.close()
        await context.sendSpans(within: spans)
        await sessions.close()
        watchdog.stop()
    }
}
