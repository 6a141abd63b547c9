import ErrandBodyFiles
import ErrandTaskStore
import ErrandTime

/// Short names for the objects of the context, for the endpoints and for the operations of clients.
extension Dispatcher {
    var store: any TaskStore { context.store }
    var sessions: SessionCatalog { context.sessions }
    var bodies: BodyFiles { context.bodies }
    var recent: RecentTasks { context.recent }
    var watchers: TaskWatchers { context.watchers }
    var patience: ClientPatience { context.patience }
    var now: @Sendable () -> Timestamp { context.now }
    var time: SteadyTime { context.time }
}
