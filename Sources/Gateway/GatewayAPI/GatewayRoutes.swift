package import ErrandConfiguration
import ErrandSessionCore
package import ErrandTaskEngine

/// The factory of the gateway's routes, called for each configuration.
package struct GatewayRoutes: Sendable {
    let context: TaskContext
    let dispatcher: Dispatcher
    let operations: SessionOperations
    let watch: EventWatch
    let scheduler: Scheduler
    let reloader: ConfigurationReloader
    let keysInUse = IdempotencyKeysInUse()
    let bulkRequests = BulkRequests()
    let readiness: ReadinessProbe
    /// The running tasks that clients poll while the gateway stops.
    package let followed = FollowedTasks()
    /// Counts the requests of the API, across reloads.
    package let requestMeters = RequestMeters()
    /// The names and versions returned by `/version`.
    let versions: [(name: String, version: String)]
    /// The watchdog that `/healthz` checks.
    let watchdog: TaskWatchdog

    /// Creates a factory of routes.
    ///
    /// - Parameters:
    ///   - versions: The names and versions returned by `/version`.
    ///   - watchdog: The watchdog that `/healthz` checks.
    package init(
        context: TaskContext, dispatcher: Dispatcher, watch: EventWatch, scheduler: Scheduler,
        reloader: ConfigurationReloader, versions: [(name: String, version: String)], watchdog: TaskWatchdog
    ) {
        self.context = context
        self.dispatcher = dispatcher
        operations = SessionOperations(context: context, dispatcher: dispatcher)
        self.watch = watch
        self.scheduler = scheduler
        self.reloader = reloader
        readiness = ReadinessProbe(context.store)
        self.versions = versions
        self.watchdog = watchdog
    }

    /// Returns all routes, with the limits of a configuration.
    package func routes(for configuration: GatewayConfiguration) -> [APIRoute] {
        let limits = configuration.server.requests
        let logger = context.logger
        let auth = configuration.auth
        let services = TaskServices(
            context: context, dispatcher: dispatcher, keysInUse: keysInUse, bulkRequests: bulkRequests,
            keyLifetime: configuration.store.retention.idempotencyKeys, maxDepth: limits.maxDepth
        ) { [reloader] caller in
            // A reload that fails removes no token, and one that succeeds has let its callers in before it ends.
            reloader.possible.contains { $0.auth.stillAdmits(caller, to: .tasksWrite, admittedBy: auth) }
        }
        let tasks = TaskEndpoints(services: services, limits: limits, followed: followed, logger: logger)
        let schedules = ScheduleEndpoints(scheduler: scheduler, services: services, limits: limits, logger: logger)
        let sessions = SessionEndpoints(
            context: context, dispatcher: dispatcher, operations: operations, limits: limits)
        let events = EventEndpoints(watch: watch, services: services, logger: logger)
        return tasks.routes + BatchEndpoint(services: services, limits: limits).routes
            + BulkEndpoints(services: services, limits: limits).routes
            + BodyEndpoint(services: services, limits: limits, logger: logger).routes
            + ContentEndpoint(services: services, limits: limits, logger: logger).routes + events.routes
            + sessions.routes
            + schedules.routes + ReloadEndpoint(reloader: reloader).routes + operationRoutes
    }

    /// The routes for the owner of the process: those for operators, and the reload.
    package var ownerRoutes: [APIRoute] { ReloadEndpoint(reloader: reloader).routes + operationRoutes }

    private var operationRoutes: [APIRoute] {
        let metrics = MetricsEndpoint(
            context: context, dispatcher: dispatcher, requests: requestMeters, streams: { watch.ticker.streamCount },
            versions: versions)
        return OperationEndpoints(
            probe: readiness, isDiskShort: { dispatcher.isDiskShort }, versions: versions, watchdog: watchdog,
            isDraining: { followed.hasBegun },
            hasSessions: { context.sessions.names.contains { $0 != SessionConfiguration.callbacksName } },
            metrics: { await metrics.response($0) }
        ).routes
    }
}
