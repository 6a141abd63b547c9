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
    /// What answers.
    let handler: Handler

    /// Creates a route.
    init(_ method: HTTPRequest.Method, _ pattern: String, needs need: AccessNeed, handler: @escaping Handler) {
        self.method = method
        self.pattern = pattern
        self.need = need
        self.handler = handler
    }
}
