import DequeModule
import ErrandLocking
import ErrandTaskStore

/// A renderer of stored events, which caches those that need the task, so that it is read once for all streams.
///
/// Any thread.
final class EventDocuments: Sendable {
    private typealias Making = Task<Result<[UInt8], TaskStoreError>, Never>

    private struct State {
        var made: [Int64: Making] = [:]
        var order: Deque<Int64> = []
    }

    private let state = Mutex(State())
    /// Reads the task, at least as new as a revision; `nil` when it was deleted or is unreadable.
    private let task: @Sendable (TaskID, _ revision: Int64) async throws(TaskStoreError) -> TaskRecord?

    /// The number of cached events, for streams that need the same event at about the same time.
    private static let capacity = 64

    /// Creates a renderer with the closure that reads tasks.
    init(task: @escaping @Sendable (TaskID, _ revision: Int64) async throws(TaskStoreError) -> TaskRecord?) {
        self.task = task
    }

    /// Returns the rendered event.
    func bytes(of event: StoredEvent) async throws(TaskStoreError) -> [UInt8] {
        guard event.kind.showsTask else { return EventDocument.bytes(of: event, record: nil) }
        let making = state.withLock { state in
            if let making = state.made[event.id] { return making }
            let making = Making { [task] in
                do throws(TaskStoreError) {
                    return .success(EventDocument.bytes(of: event, record: try await task(event.task, event.revision)))
                } catch {
                    return .failure(error)
                }
            }
            state.made[event.id] = making
            state.order.append(event.id)
            if state.order.count > Self.capacity, let oldest = state.order.popFirst() { state.made[oldest] = nil }
            return making
        }
        let result = await making.value
        if case .failure = result { forget(event.id) }
        return try result.get()
    }

    /// Removes a failed rendering, so that the next request tries again.
    private func forget(_ id: Int64) {
        state.withLock { state in
            guard state.made.removeValue(forKey: id) != nil else { return }
            state.order.removeAll { $0 == id }
        }
    }
}
