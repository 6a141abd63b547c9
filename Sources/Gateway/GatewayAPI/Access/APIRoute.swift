import ErrandHTTPServer
import HTTPTypes

/// An API route: method, path, required access and handler.
///
/// Only ``AccessControl/guarding(_:)`` turns it into a route of the server, so that no route is unprotected by
/// oversight.
package struct APIRoute: Sendable {
    /// Answers an authorized request.
    ///
    /// Called on the server's thread, like `HTTPHandler.admit(_:)`.
    typealias Handler = @Sendable (APIRequest) throws(RequestRefusal) -> RequestDisposition

    /// The method.
    let method: HTTPRequest.Method
    /// The path pattern, in the syntax of `Route`.
    let pattern: String
    /// The required access.
    let need: AccessNeed
    /// The query parameters.
    let parameters: Parameters
    private let handler: Handler

    /// The query parameters of a route.
    enum Parameters: Sendable {
        /// Only these names; others are refused.
        case named([String])
        /// Any; the endpoint validates them itself.
        case judgedByEndpoint
    }

    /// Creates a route.
    init(
        _ method: HTTPRequest.Method, _ pattern: String, needs need: AccessNeed, parameters: Parameters = .named([]),
        handler: @escaping Handler
    ) {
        self.method = method
        self.pattern = pattern
        self.need = need
        self.parameters = parameters
        self.handler = handler
    }

    /// Admits an authorized request whose query has no unknown parameters.
    ///
    /// Unknown parameters are refused, so that none is silently ignored. Public routes accept any, as health probes may
    /// add parameters to bypass caches.
    func admit(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        if need != .nothing, case .named(let names) = parameters,
            let item = request.head.target.queryItems.first(where: { !names.contains($0.name) })
        {
            throw .unknownParameter(item.name, among: names, of: "this endpoint")
        }
        return try handler(request)
    }
}
