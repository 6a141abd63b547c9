public import HTTPTypes

/// The head of a request as received: not decoded, merged or normalized.
public struct RequestHead: Sendable {
    /// The method, a token in its original case (RFC 9110 §9.1).
    public var method: HTTPRequest.Method
    /// The request target, query included (RFC 9112 §3.2).
    public var target: RequestTarget
    /// The header fields in the order received; repeated names stay separate.
    public var headers: HTTPFields
    /// The address that the connection came from, such as `127.0.0.1` or `::1`; empty for a Unix socket.
    public var remoteAddress: String
    /// The subject of the verified client certificate, as text (RFC 4514): `CN=backup,O=Example`.
    ///
    /// `nil` if the server does not require a certificate. At most 1024 bytes, without control characters.
    public var clientCertificate: String?
    /// The identifier that the handler has given to the request (``HTTPHandler/requestID(of:)``); `nil` until then.
    public var requestID: String?
    /// True if the client reads chunks; false for HTTP/1.0.
    ///
    /// Without chunks, a stream of unknown length ends with the connection: a broken one looks complete (RFC 9112
    /// §6.3).
    public var acceptsChunks: Bool

    /// Creates a head from its parts.
    public init(
        method: HTTPRequest.Method, target: RequestTarget, headers: HTTPFields = [:], remoteAddress: String = "",
        clientCertificate: String? = nil, acceptsChunks: Bool = true
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.remoteAddress = remoteAddress
        self.clientCertificate = clientCertificate
        self.acceptsChunks = acceptsChunks
    }

    /// The host and port that the request is addressed to, or `nil`.
    ///
    /// They come from an absolute target, otherwise from the header field `Host`, which HTTP/1.1 requires (RFC 9112
    /// §3.2).
    public var host: String? {
        target.authority ?? headers.first { $0.name.canonicalName == "host" }?.value
    }
}
