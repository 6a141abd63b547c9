public import HTTPTypes

/// A response that has ended, and its request: it was sent, or its connection is over.
public struct EndedResponse: Sendable {
    /// The method; `nil` if the server has refused the request before it read the method.
    public var method: HTTPRequest.Method?
    /// The pattern of the route that handled the request; `nil` if none did.
    public var route: String?
    /// The status of the response.
    public var status: HTTPResponse.Status
    /// The time from the request line to the end of the response.
    public var duration: Duration
    /// The number of content bytes of the response that the connection has taken, without framing; `nil` if the
    /// connection was over before it had taken content of a known length.
    public var contentBytes: Int64?
    /// True if the response was sent as a whole, as far as the server knows.
    public var isComplete: Bool
    /// The address that the connection came from; empty for a Unix socket.
    public var remoteAddress: String
    /// The ``ServerResponse/tag`` of the response.
    public var tag: any AnyObject & Sendable

    /// Creates a description of a response.
    public init(
        method: HTTPRequest.Method?, route: String?, status: HTTPResponse.Status, duration: Duration,
        contentBytes: Int64?, isComplete: Bool, remoteAddress: String, tag: any AnyObject & Sendable
    ) {
        self.method = method
        self.route = route
        self.status = status
        self.duration = duration
        self.contentBytes = contentBytes
        self.isComplete = isComplete
        self.remoteAddress = remoteAddress
        self.tag = tag
    }
}
