import ErrandLocking
import ErrandTaskStore

/// The tasks whose content is being received: one client at a time for each task, and limits for all.
///
/// Contents that are passed on have a limit of their own: they wait for their upstream, and must not keep others waiting.
/// Any thread.
final class ContentsUnderWay: Sendable {
    /// The most contents that are received into files at a time, each with up to 1 MiB of memory, and the most that are
    /// passed on.
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

    private struct State {
        var stored: Set<TaskID> = []
        var passedOn: [TaskID: ContentStream] = [:]
    }

    private let state = Mutex(State())

    /// Admits a client that sends the content of a task.
    ///
    /// - Parameter stream: The content, if it is passed on as it arrives.
    func begin(_ id: TaskID, passing stream: ContentStream? = nil) -> Admission {
        state.withLock { state in
            guard !state.stored.contains(id), state.passedOn[id] == nil else { return .taken }
            guard (stream == nil ? state.stored.count : state.passedOn.count) < Self.limit else { return .full }
            if let stream { state.passedOn[id] = stream } else { state.stored.insert(id) }
            return .admitted
        }
    }

    /// Returns the content of a task that its client is sending and that is passed on; `nil` if there is none.
    func stream(of id: TaskID) -> ContentStream? {
        state.withLock { $0.passedOn[id] }
    }

    /// The tasks whose content is passed on, in any order.
    var passedOn: [TaskID] {
        state.withLock { Array($0.passedOn.keys) }
    }

    /// Records that the client has ended.
    func end(_ id: TaskID) {
        state.withLock { state in
            if state.stored.remove(id) == nil { state.passedOn[id] = nil }
        }
    }
}
