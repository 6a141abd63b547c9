public import HTTPTypes

/// One HTTP request as it goes to the wire: a value, complete and already judged.
///
/// Nothing is added by the transport but framing (`Host`, `Content-Length`, `Accept-Encoding` when
/// ``acceptsCompression`` is set). Redirects are not followed: each hop is a transfer of its own.
public struct TransferRequest: Sendable {
    /// The method, sent as it is.
    public var method: HTTPRequest.Method
    /// The absolute URL.
    public var url: HTTPURL
    /// The header fields, in this order.
    public var headers: HTTPFields
    /// The content.
    public var body: TransferBody
    /// The limits of time of this transfer.
    public var timeouts: TransferTimeouts
    /// Offer the content codings that the transport can decode, and decode what comes.
    public var acceptsCompression: Bool
    /// Whether the transport may send the request again by itself when a reused connection turns out to be dead before
    /// the first byte of the answer (RFC 9110 §9.2.2).
    ///
    /// `false`: the transfer fails with `connection_lost`.
    public var mayResend: Bool

    /// Creates a request; the defaults are a bare GET without limits of time.
    public init(
        method: HTTPRequest.Method = .get, url: HTTPURL, headers: HTTPFields = [:], body: TransferBody = .none,
        timeouts: TransferTimeouts = TransferTimeouts(), acceptsCompression: Bool = true, mayResend: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeouts = timeouts
        self.acceptsCompression = acceptsCompression
        self.mayResend = mayResend
    }
}

/// The content of a request.
public enum TransferBody: Sendable {
    /// No content.
    case none
    /// Bytes in memory.
    case bytes([UInt8])
    /// Bytes that are asked for as the connection takes them.
    case source(any BodySource)
}

/// The limits of time of one transfer; `nil` for none.
///
/// Time spent suspended counts for none of them.
public struct TransferTimeouts: Sendable, Hashable {
    /// Name lookup, connection and TLS handshake together.
    public var connect: Duration?
    /// The longest time without a byte in either direction once connected.
    public var idle: Duration?
    /// From the start to the last byte.
    public var total: Duration?

    /// Creates limits; none by default.
    public init(connect: Duration? = nil, idle: Duration? = nil, total: Duration? = nil) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}
