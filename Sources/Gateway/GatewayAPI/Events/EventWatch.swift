package import ErrandTaskEngine
package import ErrandTaskEvents
package import ErrandTaskStore
import Logging

/// The parts that event streams need: recent events, stored events, progress and rendering.
package struct EventWatch: Sendable {
    let hub: EventHub
    let context: TaskContext
    let dispatcher: Dispatcher
    let documents: EventDocuments
    let ticker: ProgressTicker
    /// Measures the time in which a stream sends nothing.
    let timer: SharedTimer

    /// The number of events kept in memory for streams that lag behind.
    static let capacity = 4096

    /// Creates the parts for the events of a dispatcher.
    ///
    /// - Parameter timer: Measures idle time and the interval of progress events.
    package init(context: TaskContext, dispatcher: Dispatcher, timer: SharedTimer) {
        self.context = context
        self.dispatcher = dispatcher
        self.timer = timer
        hub = EventHub(capacity: Self.capacity, timer: timer)
        ticker = ProgressTicker(hub: hub, dispatcher: dispatcher, now: context.now, timer: timer)
        documents = EventDocuments { id, revision throws(TaskStoreError) in
            // The task in memory may be older than an event that the store has already published.
            if let record = context.recent.record(id), record.revision >= revision { return record }
            return try await context.unlessUnreadable(id) { () async throws(TaskStoreError) in
                try await context.store.task(id)
            }
        }
    }

    /// Starts to follow the events of the store; called before the first write.
    package func open() async throws(TaskStoreError) {
        hub.begin(after: try await context.store.eventBounds().newest)
        context.store.observeEvents { [hub] events in hub.publish(events) }
    }

    /// Ends the streams, after their remaining events.
    package func close() {
        hub.close()
    }
}
