public import HTTPTypes

/// A method and a path pattern with the handler of the requests that match them.
public struct Route: Sendable {
    /// Decides how to process a request that matches this route.
    ///
    /// Runs on the server's thread, as ``HTTPHandler/admit(_:route:)`` does.
    public typealias Handler = @Sendable (RequestHead, RouteParameters) -> RequestDisposition

    /// The method; `nil` for all of them.
    public var method: HTTPRequest.Method?
    /// The path pattern: `/v1/tasks/{id}/body`.
    ///
    /// Each segment is a literal, which is compared with the decoded segment of the request, or a parameter in braces,
    /// which matches exactly one non-empty segment. A final segment `{rest...}` matches all remaining segments, at
    /// least one, joined with `/`. If several routes match, literals take precedence over parameters, and parameters
    /// over a rest, from left to right.
    public var pattern: String
    /// The handler of matching requests.
    public var handler: Handler

    /// Creates a route.
    public init(_ method: HTTPRequest.Method?, _ pattern: String, handler: @escaping Handler) {
        self.method = method
        self.pattern = pattern
        self.handler = handler
    }
}
