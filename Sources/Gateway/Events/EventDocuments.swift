import DequeModule
import Locking
import TaskStore

/// The events of the store as watchers read them, each that takes reading the task made once for all who want it.
///
/// Any thread.
final class EventDocuments: Sendable {
    private typealias Making = Task<Result<[UInt8], TaskStoreError>, Never>

    private struct State {
        var made: [Int64: Making] = [:]
        var order: Deque<Int64> = []
    }

    private let state = Mutex(State())
    /// The task, at least as new as a revision; `nil` when it is gone or can never be read.
    private let task: @Sendable (TaskID, _ revision: Int64) async throws(TaskStoreError) -> TaskRecord?

    /// How many are kept for those who ask at about the same time.
    private static let capacity = 64

    /// Creates it with the closure that reads tasks.
    init(task: @escaping @Sendable (TaskID, _ revision: Int64) async throws(TaskStoreError) -> TaskRecord?) {
        self.task = task
    }

    /// The piece of a stream that an event is.
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

    /// Has what could not be made made again for the next one who asks.
    private func forget(_ id: Int64) {
        state.withLock { state in
            guard state.made.removeValue(forKey: id) != nil else { return }
            state.order.removeAll { $0 == id }
        }
    }
}
