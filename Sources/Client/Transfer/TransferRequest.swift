public import HTTPTypes

/// A complete, validated HTTP request, ready to be sent.
///
/// The transport adds only framing: `Host`, `Content-Length`, `Accept-Encoding` if ``acceptsCompression`` is set, and
/// `Accept` if ``acceptsAnything`` is. It does not follow redirects: each hop is a separate transfer.
public struct TransferRequest: Sendable {
    /// The method, sent as it is.
    public var method: HTTPRequest.Method
    /// The absolute URL.
    public var url: HTTPURL
    /// The header fields, in this order.
    public var headers: HTTPFields
    /// The content.
    public var body: TransferBody
    /// The timeouts of this transfer.
    public var timeouts: TransferTimeouts
    /// True if the transport offers the content codings that it supports, and decodes the response.
    public var acceptsCompression: Bool
    /// True if `Accept: */*` is sent when the header fields have no `Accept`; some servers refuse requests without it.
    public var acceptsAnything: Bool
    /// True if the transport may resend the request when a reused connection fails before the first byte of the
    /// response (RFC 9110 §9.2.2).
    ///
    /// If false, the transfer fails with `connection_lost`.
    public var mayResend: Bool
    /// True if content is sent only when the server has agreed to receive it, or has not responded within a second
    /// (`Expect: 100-continue`, RFC 9110 §10.1.1).
    ///
    /// Content in memory of less than 64 KiB, and content over HTTP/2, is sent at once nevertheless. Default: `false`.
    public var expectsContinue = false

    /// Creates a request; by default a GET without header fields and timeouts.
    public init(
        method: HTTPRequest.Method = .get, url: HTTPURL, headers: HTTPFields = [:], body: TransferBody = .none,
        timeouts: TransferTimeouts = TransferTimeouts(), acceptsCompression: Bool = true,
        acceptsAnything: Bool = false, mayResend: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeouts = timeouts
        self.acceptsCompression = acceptsCompression
        self.acceptsAnything = acceptsAnything
        self.mayResend = mayResend
    }
}

/// The content of a request.
public enum TransferBody: Sendable {
    /// No content.
    case none
    /// Bytes in memory.
    case bytes([UInt8])
    /// Bytes that are read from a source as the connection accepts them.
    case source(any BodySource)

    /// The most bytes in memory that a transport sends along with the head.
    package static let maxInlineBytes = 65_535
}

/// The timeouts of one transfer; `nil` for none.
///
/// Time spent suspended does not count.
public struct TransferTimeouts: Sendable, Hashable {
    /// Name lookup, connection and TLS handshake together.
    public var connect: Duration?
    /// The longest time without a byte in either direction once connected.
    public var idle: Duration?
    /// The time from the start to the last byte.
    public var total: Duration?

    /// Creates timeouts; none by default.
    public init(connect: Duration? = nil, idle: Duration? = nil, total: Duration? = nil) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}

extension HTTPRequest.Method {
    /// True if sending a request twice has the same effect as sending it once (RFC 9110 §9.2.2).
    package var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        default: false
        }
    }
}
