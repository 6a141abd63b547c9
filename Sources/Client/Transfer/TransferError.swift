/// The reason for which a transfer failed.
///
/// The description is safe to show: it contains no secret and no address of the gateway.
public struct TransferError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, stable for programs.
    public var code: Code
    /// A sentence for people, without a full stop.
    public var message: String
    /// True if the request may have reached the peer before the connection was lost.
    public var mayHaveArrived: Bool
    /// True if this machine had no resource for the connection, which says nothing about the peer.
    ///
    /// For example no descriptor or no local port. Default: false.
    package var isLocal = false

    /// Creates an error.
    public init(_ code: Code, _ message: String, mayHaveArrived: Bool = false) {
        self.code = code
        self.message = message
        self.mayHaveArrived = mayHaveArrived
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }

    /// The error of a transfer that its owner canceled.
    public static let canceled = TransferError(.canceled, "The transfer was canceled")

    /// Returns the error of a response with more content than is received.
    ///
    /// - Parameter limit: The maximum number of bytes.
    package static func bodyTooLarge(limit: Int64) -> TransferError {
        TransferError(.bodyTooLarge, "The response has more than \(limit) bytes of content")
    }

    /// The kinds of failure; the raw values are the codes of the task error table.
    public enum Code: String, Sendable, CaseIterable {
        /// A timeout was reached.
        case timedOut = "timed_out"
        /// The host name could not be resolved.
        case cannotFindHost = "cannot_find_host"
        /// No connection could be established.
        case cannotConnect = "cannot_connect"
        /// The connection ended before the response was complete.
        case connectionLost = "connection_lost"
        /// There is no network, or no route to the host or the proxy.
        case notConnected = "not_connected"
        /// The URL is invalid.
        case badURL = "bad_url"
        /// The scheme is neither http nor https.
        case unsupportedURL = "unsupported_url"
        /// The peer or the proxy rejected the credentials at the protocol level.
        case authenticationFailed = "authentication_failed"
        /// The content of the request had to be resent but cannot be read a second time.
        case bodyStreamExhausted = "body_stream_exhausted"
        /// The content could not be decoded.
        case badContentEncoding = "bad_content_encoding"
        /// The peer sent no HTTP response, or one whose head is malformed, or whose head or trailers are too large.
        case cannotParseResponse = "cannot_parse_response"
        /// The content of the response is larger than allowed.
        case bodyTooLarge = "body_too_large"
        /// The TLS handshake failed.
        case secureConnectionFailed = "secure_connection_failed"
        /// The peer's certificate does not lead to a trusted root.
        case untrustedRoot = "untrusted_root"
        /// A certificate has expired.
        case certificateExpired = "certificate_expired"
        /// A certificate is not valid yet.
        case certificateNotYetValid = "certificate_not_yet_valid"
        /// The peer's certificate is for another host.
        case hostMismatch = "host_mismatch"
        /// No certificate of the peer matches a pin.
        case pinMismatch = "pin_mismatch"
        /// The peer's certificate is revoked, or was not proved to be good.
        case revoked = "revoked"
        /// The client certificate cannot be used.
        case clientCertificateRejected = "client_certificate_rejected"
        /// The peer requires a client certificate.
        case clientCertificateRequired = "client_certificate_required"
        /// The egress rules deny each address of the host.
        case egressDenied = "egress_denied"
        /// The content of the response could not be written to a file, or not be read back.
        case cannotWrite = "cannot_write"
        /// The disk is full.
        case diskFull = "disk_full"
        /// The owner canceled the transfer.
        case canceled = "canceled"
        /// The transport was shut down.
        case sessionClosed = "session_closed"
        /// Any other failure.
        case transportError = "transport_error"
    }
}
