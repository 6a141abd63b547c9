import ErrandLocking
import ErrandTaskStore

/// The tasks whose content is being received: one client at a time for each task, and a limit for all.
///
/// Any thread.
final class ContentsUnderWay: Sendable {
    /// The most contents that are received at a time: each takes up to 1 MiB of memory.
    static let limit = 128

    /// The answer to a client that wants to send content.
    enum Admission: Sendable, Hashable {
        /// The client may send; ``ContentsUnderWay/end(_:)`` must follow.
        case admitted
        /// Another client is sending the content of the task.
        case taken
        /// Too many contents are being received.
        case full
    }

    private let tasks = Mutex<Set<TaskID>>([])

    /// Admits a client that sends the content of a task.
    func begin(_ id: TaskID) -> Admission {
        tasks.withLock { tasks in
            guard !tasks.contains(id) else { return .taken }
            guard tasks.count < Self.limit else { return .full }
            tasks.insert(id)
            return .admitted
        }
    }

    /// Records that the client has ended.
    func end(_ id: TaskID) {
        tasks.withLock { _ = $0.remove(id) }
    }
}
