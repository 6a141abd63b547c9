import HTTPServer
import HTTPTypes

/// One way into the gateway: what it takes to go there, and what answers.
///
/// It becomes a route of the server by ``AccessControl/guarding(_:)`` only, so that none is open by oversight.
struct APIRoute: Sendable {
    /// Answers a request that was let in.
    ///
    /// Called on the server's thread, as `HTTPHandler.admit(_:)` is.
    typealias Handler = @Sendable (APIRequest) -> HTTPServer.Admission

    /// The method.
    let method: HTTPRequest.Method
    /// The path pattern, as `Route` has it.
    let pattern: String
    /// What it takes.
    let need: AccessNeed
    /// The query parameters of a call that changes something; a call that reads judges its own.
    let parameters: Set<String>
    /// What answers.
    let handler: Handler

    /// Creates a route.
    init(
        _ method: HTTPRequest.Method, _ pattern: String, needs need: AccessNeed, parameters: Set<String> = [],
        handler: @escaping Handler
    ) {
        self.method = method
        self.pattern = pattern
        self.need = need
        self.parameters = parameters
        self.handler = handler
    }

    /// Why a request is refused for its query: what changes something must not look as if a parameter narrowed it down
    /// that nobody reads.
    func queryProblem(of head: RequestHead) -> QueryProblem? {
        guard !AuditLog.isSafe(head.method),
            let item = head.target.queryItems.first(where: { !parameters.contains($0.name) })
        else { return nil }
        return QueryProblem(item.name, "this call has no such parameter")
    }
}
