/// Why a transfer failed.
///
/// The description is safe to show: it holds no secret and no address of the gateway's side.
public struct TransferError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure, stable for programs.
    public var code: Code
    /// What happened, for people: one sentence without a full stop.
    public var message: String
    /// The request may have reached the peer before the connection was lost.
    public var mayHaveArrived: Bool

    /// Creates an error.
    public init(_ code: Code, _ message: String, mayHaveArrived: Bool = false) {
        self.code = code
        self.message = message
        self.mayHaveArrived = mayHaveArrived
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }

    /// The transfer was cancelled by its owner.
    public static let canceled = TransferError(.canceled, "The transfer was canceled")

    /// The kinds of failure: the words of the task error table.
    public enum Code: String, Sendable, CaseIterable {
        /// A limit of time was reached.
        case timedOut = "timed_out"
        /// The name could not be resolved.
        case cannotFindHost = "cannot_find_host"
        /// No connection could be made.
        case cannotConnect = "cannot_connect"
        /// The connection ended before the response was complete.
        case connectionLost = "connection_lost"
        /// The URL is not one that can be dialled.
        case badURL = "bad_url"
        /// The scheme is neither http nor https.
        case unsupportedURL = "unsupported_url"
        /// The peer (or the proxy) did not accept the credentials on the protocol's own level.
        case authenticationFailed = "authentication_failed"
        /// The content of the request cannot be sent a second time, and had to be.
        case bodyStreamExhausted = "body_stream_exhausted"
        /// The content could not be decoded.
        case badContentEncoding = "bad_content_encoding"
        /// The content of the response is larger than allowed.
        case bodyTooLarge = "body_too_large"
        /// TLS could not be established.
        case secureConnectionFailed = "secure_connection_failed"
        /// The peer's certificate leads to nobody who is trusted.
        case untrustedRoot = "untrusted_root"
        /// The time of a certificate is over.
        case certificateExpired = "certificate_expired"
        /// The time of a certificate has not come.
        case certificateNotYetValid = "certificate_not_yet_valid"
        /// The peer's certificate is another host's.
        case hostMismatch = "host_mismatch"
        /// No certificate of the peer matches a pin.
        case pinMismatch = "pin_mismatch"
        /// The peer's certificate is revoked, or was not shown to be good.
        case revoked = "revoked"
        /// The client certificate cannot be used.
        case clientCertificateRejected = "client_certificate_rejected"
        /// The peer wants a client certificate.
        case clientCertificateRequired = "client_certificate_required"
        /// The address is not one that may be dialled.
        case egressDenied = "egress_denied"
        /// What came could not be written to a file.
        case cannotWrite = "cannot_write"
        /// The disk is full.
        case diskFull = "disk_full"
        /// The owner cancelled.
        case canceled = "canceled"
        /// The transport was shut down.
        case sessionClosed = "session_closed"
        /// Anything else.
        case transportError = "transport_error"
    }
}
