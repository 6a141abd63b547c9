import ErrandHTTPServer
import ErrandTaskStore

/// An authorized request, as passed to endpoints.
struct APIRequest: Sendable {
    /// The request head as received.
    let head: RequestHead
    /// The values of the route's path parameters.
    let parameters: RouteParameters
    /// The caller, with its permissions.
    let caller: Caller
    /// The subject of the request for the audit log.
    let notes: AuditNotes
    /// The rate limiter of the token; `nil` for a token without a rate.
    let limiter: RateLimiter?

    /// The task identifier in the route's `{id}`; `nil` when it is malformed.
    var taskID: TaskID? {
        parameters["id"].flatMap { TaskID($0) }
    }

    /// Returns the task if the caller may see it, else `nil`: a hidden task looks like a missing one.
    func visible(_ record: TaskRecord?) -> TaskRecord? {
        guard let record, caller.sees(session: record.session) else { return nil }
        notes.note(session: record.session)
        return record
    }

    /// Returns true if the caller may see an unreadable task; with an unknown session only if it may see all sessions.
    func isVisible(unreadable error: TaskStoreError) -> Bool {
        guard let session = error.session else { return caller.sessions == nil }
        guard caller.sees(session: session) else { return false }
        notes.note(session: session)
        return true
    }
}
