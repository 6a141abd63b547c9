public import HTTPTypes

/// A response that the server has begun to send, and its request.
public struct BegunResponse: Sendable, Hashable {
    /// The method; `nil` if the server has refused the request before it read the method.
    public var method: HTTPRequest.Method?
    /// The pattern of the route that handled the request; `nil` if none did.
    public var route: String?
    /// The status of the response.
    public var status: HTTPResponse.Status
    /// The time from the request line to the start of the response, in which the content of the request arrives.
    public var duration: Duration

    /// Creates a description of a response.
    public init(
        method: HTTPRequest.Method?, route: String?, status: HTTPResponse.Status, duration: Duration
    ) {
        self.method = method
        self.route = route
        self.status = status
        self.duration = duration
    }
}
