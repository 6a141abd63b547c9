/// The error codes of tasks: a closed table of stable words.
///
/// The table is that of this session manager in a program and of the gateway around it; a program never meets the codes
/// that are marked as used only by the gateway.
public enum SessionErrorCode: String, Sendable, Hashable, CaseIterable {
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
    /// The limit of redirects was reached.
    case tooManyRedirects = "too_many_redirects"
    /// The URL is invalid.
    case badURL = "bad_url"
    /// The scheme is neither http nor https.
    case unsupportedURL = "unsupported_url"
    /// The credentials were rejected at the protocol level.
    case authenticationFailed = "authentication_failed"
    /// The content of the request had to be resent but cannot be read again.
    case bodyStreamExhausted = "body_stream_exhausted"
    /// The content could not be decoded.
    case badContentEncoding = "bad_content_encoding"
    /// The upstream sent no HTTP response, or a malformed one.
    case cannotParseResponse = "cannot_parse_response"
    /// The content of the response is larger than allowed.
    case bodyTooLarge = "body_too_large"
    /// Any other failure of a transfer.
    case transportError = "transport_error"

    /// The TLS handshake failed.
    case secureConnectionFailed = "secure_connection_failed"
    /// The certificate has expired.
    case certificateExpired = "certificate_expired"
    /// The certificate is not valid yet.
    case certificateNotYetValid = "certificate_not_yet_valid"
    /// The certificate is for another host.
    case hostMismatch = "host_mismatch"
    /// No certificate matches a pin.
    case pinMismatch = "pin_mismatch"
    /// The certificate is revoked, or was not proved to be good.
    case revoked
    /// The certificate's issuer is not trusted.
    case untrustedRoot = "untrusted_root"
    /// The client certificate cannot be used.
    case clientCertificateRejected = "client_certificate_rejected"
    /// The upstream requires a client certificate.
    case clientCertificateRequired = "client_certificate_required"

    /// The given values cannot be made into a request.
    case unserializableParameters = "unserializable_parameters"
    /// A file to send does not exist.
    case fileNotFound = "file_not_found"
    /// A file to send is not a readable regular file.
    case badFile = "bad_file"

    /// The status is not acceptable.
    case unacceptableStatus = "unacceptable_status"
    /// The content type is not acceptable.
    case unacceptableContentType = "unacceptable_content_type"
    /// The serializer cannot read the content.
    case unparsableBody = "unparsable_body"

    /// A file could not be created.
    case cannotCreate = "cannot_create"
    /// A file could not be written, or not be read back.
    case cannotWrite = "cannot_write"
    /// A file could not be moved to its destination.
    case cannotMove = "cannot_move"
    /// The destination exists.
    case exists
    /// The content has another digest than the expected one.
    case checksumMismatch = "checksum_mismatch"
    /// The disk is full.
    case diskFull = "disk_full"

    /// The egress rules deny each address of the host.
    case egressDenied = "egress_denied"
    /// The URL is outside of the session's scope.
    case urlOutOfScope = "url_out_of_scope"
    /// The session does not follow this redirect.
    case redirectRefused = "redirect_refused"
    /// The session does not allow this method.
    case methodNotAllowed = "method_not_allowed"
    /// A hook of the program failed, or refused the response.
    case hookFailed = "hook_failed"

    /// The owner canceled the task.
    case canceled
    /// The task's deadline passed.
    ///
    /// Used only by the gateway.
    case deadlineExceeded = "deadline_exceeded"
    /// The client did not send the content of the request in time.
    ///
    /// Used only by the gateway.
    case contentMissing = "content_missing"
    /// The client stopped sending the content of the request before its end.
    ///
    /// Used only by the gateway.
    case contentIncomplete = "content_incomplete"
    /// A crash ended an attempt that must not be repeated.
    ///
    /// Used only by the gateway.
    case interrupted
    /// The session was closed.
    case sessionClosed = "session_closed"
    /// An internal fault of the session manager itself.
    case `internal`
}

extension SessionErrorCode {
    /// The part of the work to which a code belongs.
    public enum Domain: String, Sendable, Hashable, CaseIterable {
        /// The transfer: name resolution, connections, HTTP itself.
        case transport
        /// The protection of the connection and the identity of the peer.
        case tls
        /// Creating the request.
        case request
        /// Evaluating and reading the response.
        case response
        /// Files that contain content.
        case file
        /// Rules of the session.
        case policy
        /// The session manager itself: the end of a task by its owner, the end of its session, and internal faults; in
        /// the gateway also the life of its stored tasks, from which the word comes.
        case gateway
    }

    /// The part of the work that the code belongs to.
    public var domain: Domain { entry.domain }

    /// The session manager's numeric code, which follows `NSURLErrorDomain` (and 3840 of `NSCocoaErrorDomain`); `nil`
    /// if it has none.
    public var number: Int? { entry.number }

    /// True if a later attempt may succeed.
    public var isRetryable: Bool { entry.isRetryable }

    private typealias Entry = (domain: Domain, number: Int?, isRetryable: Bool)

    private var entry: Entry {
        switch self {
        case .timedOut: (.transport, -1001, true)
        case .cannotFindHost: (.transport, -1003, true)
        case .cannotConnect: (.transport, -1004, true)
        case .connectionLost: (.transport, -1005, true)
        case .notConnected: (.transport, -1009, true)
        case .tooManyRedirects: (.transport, -1007, false)
        case .badURL: (.transport, -1000, false)
        case .unsupportedURL: (.transport, -1002, false)
        case .authenticationFailed: (.transport, -1012, false)
        case .bodyStreamExhausted: (.transport, -1021, false)
        case .badContentEncoding: (.transport, -1015, false)
        case .cannotParseResponse: (.transport, -1017, false)
        case .bodyTooLarge: (.transport, -1103, false)
        case .transportError: (.transport, -1, false)
        case .secureConnectionFailed: (.tls, -1200, true)
        case .certificateExpired: (.tls, -1201, true)
        case .certificateNotYetValid: (.tls, -1204, true)
        case .hostMismatch, .pinMismatch, .revoked: (.tls, -1202, false)
        case .untrustedRoot: (.tls, -1203, false)
        case .clientCertificateRejected: (.tls, -1205, false)
        case .clientCertificateRequired: (.tls, -1206, false)
        case .unserializableParameters: (.request, -1016, false)
        case .fileNotFound: (.request, -1100, false)
        case .badFile: (.request, -1000, false)
        case .unacceptableStatus: (.response, -1011, false)
        case .unacceptableContentType: (.response, -1016, false)
        case .unparsableBody: (.response, 3840, false)
        case .cannotCreate: (.file, -3000, false)
        case .cannotWrite, .diskFull: (.file, -3003, true)
        case .cannotMove, .exists: (.file, -3005, false)
        case .checksumMismatch: (.file, -1015, false)
        case .egressDenied, .urlOutOfScope, .redirectRefused, .methodNotAllowed, .hookFailed: (.policy, nil, false)
        case .canceled: (.gateway, -999, false)
        case .deadlineExceeded, .contentMissing, .contentIncomplete, .interrupted, .sessionClosed, .internal:
            (.gateway, nil, false)
        }
    }
}
