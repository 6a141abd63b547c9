import Configuration
import Logging
import TaskStore

/// The ways into the gateway, with what answers there, made anew for each configuration.
struct GatewayRoutes: Sendable {
    let dispatcher: Dispatcher
    let operations: SessionOperations
    let reloader: ConfigurationReloader
    let ids: TaskIDGenerator
    /// What `/version` says.
    let versions: [(name: String, version: String)]
    let isDraining: @Sendable () -> Bool
    let logger: Logger

    /// All routes, with the limits of a configuration.
    func routes(for configuration: GatewayConfiguration) -> [APIRoute] {
        let tasks = TaskEndpoints(
            dispatcher: dispatcher,
            limits: RequestLimits(
                maxJSONBytes: configuration.server.maxJSONBytes, maxDepth: configuration.server.maxDepth,
                maxWait: configuration.server.maxWait),
            ids: ids, logger: logger)
        let sessions = SessionEndpoints(dispatcher: dispatcher, operations: operations, logger: logger)
        let health = OperationEndpoints(store: dispatcher.store, versions: versions, isDraining: isDraining)
        return tasks.routes + BodyEndpoint(dispatcher: dispatcher, logger: logger).routes + sessions.routes
            + ReloadEndpoint(reloader: reloader).routes + health.routes
    }
}
