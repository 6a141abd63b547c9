import ErrandConfiguration
import ErrandTaskStore
import Logging

/// The factory of the gateway's routes, called for each configuration.
struct GatewayRoutes: Sendable {
    let dispatcher: Dispatcher
    let operations: SessionOperations
    let watch: EventWatch
    let scheduler: Scheduler
    let reloader: ConfigurationReloader
    let ids: TaskIDGenerator
    let keysInUse = IdempotencyKeysInUse()
    let bulkAnswers = BulkAnswers()
    let readiness: ReadinessProbe
    /// The names and versions returned by `/version`.
    let versions: [(name: String, version: String)]
    /// The watchdog that `/healthz` checks.
    let watchdog: TaskWatchdog
    let isDraining: @Sendable () -> Bool
    let logger: Logger

    /// Returns all routes, with the limits of a configuration.
    func routes(for configuration: GatewayConfiguration) -> [APIRoute] {
        let limits = configuration.server.requests
        let intake = TaskIntake(
            dispatcher: dispatcher, ids: ids, keysInUse: keysInUse,
            keyLifetime: configuration.store.retention.idempotencyKeys, logger: logger)
        let tasks = TaskEndpoints(dispatcher: dispatcher, limits: limits, intake: intake, logger: logger)
        let schedules = ScheduleEndpoints(scheduler: scheduler, limits: limits, logger: logger)
        let sessions = SessionEndpoints(dispatcher: dispatcher, operations: operations, logger: logger)
        let health = OperationEndpoints(
            probe: readiness, isDiskShort: { dispatcher.disk.isShort }, versions: versions, watchdog: watchdog,
            isDraining: isDraining)
        let events = EventEndpoints(watch: watch, logger: logger)
        return tasks.routes + BatchEndpoint(tasks: tasks).routes
            + BulkEndpoints(tasks: tasks, answers: bulkAnswers).routes
            + BodyEndpoint(dispatcher: dispatcher, logger: logger).routes + events.routes + sessions.routes
            + schedules.routes + ReloadEndpoint(reloader: reloader).routes + health.routes
    }
}
