import ErrandHTTPServer
import ErrandTaskEngine
import ErrandTaskStore

/// An authorized request, as passed to endpoints.
///
/// An object: a function that suspends would keep each copy of a value of this size in its frame.
final class APIRequest: Sendable {
    /// The request head as received.
    let head: RequestHead
    /// The values of the route's path parameters.
    let parameters: RouteParameters
    /// The caller, with its permissions.
    let caller: Caller
    /// The line of the request in the audit log; `nil` for a safe request, which is not logged.
    let notes: AuditNotes?
    /// The rate limiter of the token; `nil` for a token without a rate.
    let limiter: RateLimiter?

    init(
        head: RequestHead, parameters: RouteParameters, caller: Caller, notes: AuditNotes?, limiter: RateLimiter?
    ) {
        self.head = head
        self.parameters = parameters
        self.caller = caller
        self.notes = notes
        self.limiter = limiter
    }

    /// The task identifier in the route's `{id}`; a malformed one is that of no task.
    var taskID: TaskID {
        get throws(RequestRefusal) {
            guard let id = parameters["id"].flatMap({ TaskID($0) }) else { throw .noSuchTask }
            return id
        }
    }

    /// Notes the session of a task that was read for the caller, and returns the task.
    func noting(_ record: TaskRecord?) -> TaskRecord? {
        if let record { notes?.note(session: record.session) }
        return record
    }
}
