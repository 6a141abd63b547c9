import Configuration
import Logging
import TaskStore

/// The ways into the gateway, with what answers there, made anew for each configuration.
struct GatewayRoutes: Sendable {
    let dispatcher: Dispatcher
    let operations: SessionOperations
    let watch: EventWatch
    let scheduler: Scheduler
    let reloader: ConfigurationReloader
    let ids: TaskIDGenerator
    let keysInUse = IdempotencyKeysInUse()
    /// What `/version` says.
    let versions: [(name: String, version: String)]
    let isDraining: @Sendable () -> Bool
    let logger: Logger

    /// All routes, with the limits of a configuration.
    func routes(for configuration: GatewayConfiguration) -> [APIRoute] {
        let limits = RequestLimits(
            maxJSONBytes: configuration.server.maxJSONBytes, maxBodyBytes: configuration.server.maxBodyBytes,
            maxBatch: configuration.server.maxBatch, maxDepth: configuration.server.maxDepth,
            maxWait: configuration.server.maxWait)
        let intake = TaskIntake(
            dispatcher: dispatcher, ids: ids, keysInUse: keysInUse,
            keyLifetime: configuration.store.retention.idempotencyKeys, logger: logger)
        let tasks = TaskEndpoints(dispatcher: dispatcher, limits: limits, intake: intake, logger: logger)
        let schedules = ScheduleEndpoints(scheduler: scheduler, limits: limits, logger: logger)
        let sessions = SessionEndpoints(dispatcher: dispatcher, operations: operations, logger: logger)
        let health = OperationEndpoints(store: dispatcher.store, versions: versions, isDraining: isDraining)
        let events = EventEndpoints(watch: watch, logger: logger)
        return tasks.routes + BatchEndpoint(tasks: tasks).routes + BulkEndpoints(tasks: tasks).routes
            + BodyEndpoint(dispatcher: dispatcher, logger: logger).routes + events.routes + sessions.routes
            + schedules.routes + ReloadEndpoint(reloader: reloader).routes + health.routes
    }
}
