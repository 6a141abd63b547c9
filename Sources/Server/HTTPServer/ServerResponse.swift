public import HTTPTypes

/// A response of the server.
public struct ServerResponse: Sendable {
    /// The status, a final one: 200 or above.
    public var status: HTTPResponse.Status
    /// The header fields.
    ///
    /// `Content-Length`, `Transfer-Encoding`, `Connection` and `Date` are set by the server and are ignored here, as
    /// are fields without a value.
    public var headers: HTTPFields
    /// The content.
    public var body: ResponseBody
    /// An object that the handler gets back when the response has ended, in ``HTTPHandler/responseDidEnd(_:)``; `nil`,
    /// the default, if it does not want to learn of the end.
    public var tag: (any AnyObject & Sendable)?

    /// Creates a response from its parts.
    public init(status: HTTPResponse.Status, headers: HTTPFields = [:], body: ResponseBody = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
