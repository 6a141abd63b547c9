import DequeModule
import ErrandLocking
import ErrandTaskStore

/// A renderer of stored events, which keeps the newest documents, so that each is rendered once for all streams.
///
/// Any thread.
final class EventDocuments: Sendable {
    private enum Document {
        case rendered([UInt8])
        /// Reads the task first.
        case rendering(Task<Result<[UInt8], TaskStoreError>, Never>)
    }

    private struct State {
        var documents: [Int64: Document] = [:]
        /// The events of the documents, in the order in which they were first requested.
        var order: Deque<Int64> = []
    }

    private let state = Mutex(State())
    /// Reads the task, at least as new as a revision; `nil` when it was deleted or is unreadable.
    private let task: @Sendable (TaskID, _ revision: Int64) async throws(TaskStoreError) -> TaskRecord?

    /// The number of kept documents, for streams that need the same event at about the same time.
    static let capacity = 64

    /// Creates a renderer with the closure that reads tasks.
    init(task: @escaping @Sendable (TaskID, _ revision: Int64) async throws(TaskStoreError) -> TaskRecord?) {
        self.task = task
    }

    /// Returns the rendered event.
    func bytes(of event: StoredEvent) async throws(TaskStoreError) -> [UInt8] {
        let rendering: Task<Result<[UInt8], TaskStoreError>, Never>
        switch document(of: event) {
        case .rendered(let bytes): return bytes
        case .rendering(let task): rendering = task
        }
        let result = await rendering.value
        if case .failure = result { forget(event.id) }
        return try result.get()
    }

    /// Returns the kept document of an event, or begins a new one.
    private func document(of event: StoredEvent) -> Document {
        state.withLock { state in
            if let document = state.documents[event.id] { return document }
            let document = newDocument(of: event)
            state.documents[event.id] = document
            state.order.append(event.id)
            if state.order.count > Self.capacity, let oldest = state.order.popFirst() { state.documents[oldest] = nil }
            return document
        }
    }

    private func newDocument(of event: StoredEvent) -> Document {
        guard event.kind.showsTask else { return .rendered(EventDocument.bytes(of: event, record: nil)) }
        return .rendering(
            Task { [task] in
                do throws(TaskStoreError) {
                    return .success(EventDocument.bytes(of: event, record: try await task(event.task, event.revision)))
                } catch {
                    return .failure(error)
                }
            })
    }

    /// Removes a failed rendering, so that the next request tries again.
    private func forget(_ id: Int64) {
        state.withLock { state in
            guard state.documents.removeValue(forKey: id) != nil else { return }
            state.order.removeAll { $0 == id }
        }
    }
}
