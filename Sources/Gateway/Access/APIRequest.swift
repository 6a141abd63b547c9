import HTTPServer
import TaskStore

/// A request that was let in, as endpoints get it.
struct APIRequest: Sendable {
    /// The head as it came.
    let head: RequestHead
    /// What the parameters of the route stand for.
    let parameters: RouteParameters
    /// Who makes it.
    let caller: Caller
    /// What the audit log is to say of it.
    let notes: AuditNotes

    /// The task that the route's `{id}` names; `nil` when it is no identifier.
    var taskID: TaskID? {
        parameters["id"].flatMap { TaskID($0) }
    }

    /// The task when the caller may know of it; `nil` otherwise, so that what he must not see is not there.
    func visible(_ record: TaskRecord?) -> TaskRecord? {
        guard let record, caller.sees(session: record.session) else { return nil }
        notes.note(session: record.session)
        return record
    }

    /// Whether the caller may know of the task that the store could not read; a session that is not known may be any.
    func isVisible(unreadable error: TaskStoreError) -> Bool {
        guard let session = error.session else { return caller.sessions == nil }
        guard caller.sees(session: session) else { return false }
        notes.note(session: session)
        return true
    }
}
