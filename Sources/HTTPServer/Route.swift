public import HTTPTypes

/// One way into a service: a method, a path pattern and what answers there.
public struct Route: Sendable {
    /// Judges a request that this route matches.
    ///
    /// Called on the server's thread, as ``HTTPHandler/admit(_:)`` is.
    public typealias Handler = @Sendable (RequestHead, RouteParameters) -> Admission

    /// The method; `nil` for all of them.
    public var method: HTTPRequest.Method?
    /// The path pattern: `/v1/tasks/{id}/body`.
    ///
    /// Each segment is a literal, which is compared with the decoded segment of the request, or a parameter in braces,
    /// which stands for exactly one segment that is not empty. A last segment `{rest...}` stands for all the segments
    /// that are left, at least one, joined with `/`. Where several routes match, literals win over parameters, and
    /// parameters over a rest, from left to right.
    public var pattern: String
    /// What answers.
    public var handler: Handler

    /// Creates a route.
    public init(_ method: HTTPRequest.Method?, _ pattern: String, handler: @escaping Handler) {
        self.method = method
        self.pattern = pattern
        self.handler = handler
    }
}
