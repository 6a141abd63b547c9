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
    /// True if the parameter `name` of the path is that of a session; schedules have names too.
    let concernsSession: Bool
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
        concernsSession = pattern.hasPrefix("/v1/sessions/")
        self.handler = handler
    }

    /// Admits an authorized request whose query has no unknown and no repeated parameters.
    ///
    /// They are refused, so that none is silently ignored. Public routes accept any, as health probes may
    /// add parameters to bypass caches.
    func admit(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        guard need != .nothing else { return try handler(request) }
        let items = request.head.target.queryItems
        if case .named(let names) = parameters, let item = items.first(where: { !names.contains($0.name) }) {
            throw .unknownParameter(item.name, among: names, of: "this endpoint")
        }
        try Self.refuseRepetitions(items)
        return try handler(request)
    }

    /// Refuses a parameter that is given twice and can have only one value.
    private static func refuseRepetitions(_ items: [QueryItem]) throws(RequestRefusal) {
        guard items.count > 1 else { return }
        var names: Set<String> = []
        for item in items where !names.insert(item.name).inserted && !repeatable.contains(item.name) {
            throw .parameter(item.name, "the parameter is given more than once; give it once")
        }
    }

    /// The parameters whose values are combined.
    private static let repeatable: Set = ["state", "session", FieldsQuery.parameter]
}
