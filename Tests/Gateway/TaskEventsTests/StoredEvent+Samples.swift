import ErrandSupport
import ErrandTaskStore
import ErrandTime

extension StoredEvent {
    /// Returns an event for tests, of the task with a number that entered a state.
    static func sample(
        _ id: Int64, task: Int = 1, _ kind: Kind = .state(.queued), session: String = "github",
        taskKind: TaskKind = .data, parent: Int? = nil, labels: [String: String] = [:]
    ) -> StoredEvent {
        StoredEvent(
            id: id, kind: kind, at: Timestamp(milliseconds: 1_795_000_000_000 + id), task: .sample(task),
            session: session, taskKind: taskKind, parent: parent.map { .sample($0) }, labels: labels, revision: id)
    }
}
