public import HTTPTypes

/// The head of a final response.
public struct ResponseHead: Sendable, Hashable {
    /// The status code, 200 to 999 (RFC 9110 §15 allows 100 to 599, but some servers exceed it).
    public var status: Int
    /// The reason phrase as sent; empty with HTTP/2 and later.
    public var reason: String
    /// The protocol version: `"1.0"`, `"1.1"`, `"2"`, `"3"`.
    public var version: String
    /// The header fields in the order received; repeated names are separate fields.
    public var headers: HTTPFields

    /// Creates a head from its parts.
    public init(status: Int, reason: String = "", version: String = "1.1", headers: HTTPFields = [:]) {
        self.status = status
        self.reason = reason
        self.version = version
        self.headers = headers
    }
}
