import Logging
import TaskEvents
import TaskStore

/// What watching tasks takes: the events as they happen, those that are stored, and how they are written.
struct EventWatch: Sendable {
    let hub: EventHub
    let dispatcher: Dispatcher
    let documents: EventDocuments
    let ticker: ProgressTicker

    /// How many events are kept in memory for watchers who are behind.
    static let capacity = 4096

    /// Creates what watchers of a dispatcher's tasks need.
    ///
    /// - Parameter timer: Measures silence, and the time between two reports of progress.
    init(dispatcher: Dispatcher, timer: SharedTimer) {
        self.dispatcher = dispatcher
        hub = EventHub(capacity: Self.capacity, timer: timer)
        ticker = ProgressTicker(hub: hub, dispatcher: dispatcher, timer: timer)
        documents = EventDocuments { id, revision throws(TaskStoreError) in
            // What is remembered may be older than an event that the store has told of already.
            if let record = dispatcher.recent.record(id), record.revision >= revision { return record }
            return try await dispatcher.unlessUnreadable(id) { () async throws(TaskStoreError) in
                try await dispatcher.store.task(id)
            }
        }
    }

    /// Takes in what the store does from now on; before anything is written.
    func open() async throws(TaskStoreError) {
        hub.begin(after: try await dispatcher.store.eventBounds().newest)
        dispatcher.store.observeEvents { [hub] events in hub.publish(events) }
    }

    /// Ends the streams, after what there is to tell.
    func close() {
        hub.close()
    }
}
