public import HTTPTypes

/// The head of a request, as it came over the wire: nothing is decoded, merged or normalised.
public struct RequestHead: Sendable {
    /// The method, a token in the case it was sent (RFC 9110 §9.1).
    public var method: HTTPRequest.Method
    /// The raw request target in origin form, query included (RFC 9112 §3.2).
    public var target: RequestTarget
    /// The header fields in the order they came; repeated names are kept apart.
    public var headers: HTTPFields
    /// The address that the connection came from, such as `127.0.0.1` or `::1`; empty for a Unix socket.
    public var remoteAddress: String
    /// The subject of the certificate that the client has proved to own, as text (RFC 4514): `CN=backup,O=Example`.
    ///
    /// `nil` where the server does not require one. At most 1024 bytes, without control characters.
    public var clientCertificate: String?

    /// Creates a head from its parts.
    public init(
        method: HTTPRequest.Method, target: RequestTarget, headers: HTTPFields = [:], remoteAddress: String = "",
        clientCertificate: String? = nil
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.remoteAddress = remoteAddress
        self.clientCertificate = clientCertificate
    }

    /// The value of the header field `Host`, which HTTP/1.1 requires (RFC 9112 §3.2), or `nil`.
    public var host: String? {
        headers.first { $0.name.canonicalName == "host" }?.value
    }
}
