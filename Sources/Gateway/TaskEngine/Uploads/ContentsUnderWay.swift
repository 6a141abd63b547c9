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

    /// The tasks, with the content that is passed on as it arrives.
    private let tasks = Mutex<[TaskID: ContentStream?]>([:])

    /// Admits a client that sends the content of a task.
    ///
    /// - Parameter stream: The content, if it is passed on as it arrives.
    func begin(_ id: TaskID, passing stream: ContentStream? = nil) -> Admission {
        tasks.withLock { tasks in
            guard tasks[id] == nil else { return .taken }
            guard tasks.count < Self.limit else { return .full }
            tasks[id] = .some(stream)
            return .admitted
        }
    }

    /// Returns the content of a task that its client is sending and that is passed on; `nil` if there is none.
    func stream(of id: TaskID) -> ContentStream? {
        tasks.withLock { $0[id] ?? nil }
    }

    /// Records that the client has ended.
    func end(_ id: TaskID) {
        tasks.withLock { _ = $0.removeValue(forKey: id) }
    }
}
