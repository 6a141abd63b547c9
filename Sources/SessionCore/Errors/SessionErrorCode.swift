/// Every way in which a task can fail: one closed table of stable words.
public enum SessionErrorCode: String, Sendable, Hashable, CaseIterable {
    /// A limit of time was reached.
    case timedOut = "timed_out"
    /// The name could not be resolved.
    case cannotFindHost = "cannot_find_host"
    /// No connection could be made.
    case cannotConnect = "cannot_connect"
    /// The connection ended before the response was complete.
    case connectionLost = "connection_lost"
    /// There is no network.
    case notConnected = "not_connected"
    /// The limit of redirects was reached.
    case tooManyRedirects = "too_many_redirects"
    /// The URL is not one that can be requested.
    case badURL = "bad_url"
    /// The scheme is neither http nor https.
    case unsupportedURL = "unsupported_url"
    /// The credentials were not accepted on the protocol's own level.
    case authenticationFailed = "authentication_failed"
    /// The content of the request had to be sent again, and cannot be.
    case bodyStreamExhausted = "body_stream_exhausted"
    /// The content could not be decoded.
    case badContentEncoding = "bad_content_encoding"
    /// The content of the response is larger than allowed.
    case bodyTooLarge = "body_too_large"
    /// Any other failure of a transfer.
    case transportError = "transport_error"

    /// TLS could not be established.
    case secureConnectionFailed = "secure_connection_failed"
    /// The certificate's time is over.
    case certificateExpired = "certificate_expired"
    /// The certificate's time has not come.
    case certificateNotYetValid = "certificate_not_yet_valid"
    /// The certificate is another host's.
    case hostMismatch = "host_mismatch"
    /// No certificate matches a pin.
    case pinMismatch = "pin_mismatch"
    /// The certificate is revoked, or it could not be shown that it is not.
    case revoked
    /// The certificate's issuer is not trusted.
    case untrustedRoot = "untrusted_root"
    /// The client certificate cannot be used.
    case clientCertificateRejected = "client_certificate_rejected"
    /// The upstream wants a client certificate.
    case clientCertificateRequired = "client_certificate_required"

    /// The request cannot be made of what was given.
    case unserializableParameters = "unserializable_parameters"
    /// A file to send is not there.
    case fileNotFound = "file_not_found"
    /// A file to send cannot be read as one.
    case badFile = "bad_file"

    /// The status is not one of success.
    case unacceptableStatus = "unacceptable_status"
    /// The content type is not one of those wanted.
    case unacceptableContentType = "unacceptable_content_type"
    /// The content is not what its serializer reads.
    case unparsableBody = "unparsable_body"

    /// A file could not be created.
    case cannotCreate = "cannot_create"
    /// A file could not be written.
    case cannotWrite = "cannot_write"
    /// A file could not be moved to its destination.
    case cannotMove = "cannot_move"
    /// The destination exists.
    case exists
    /// What came has another digest than was asked for.
    case checksumMismatch = "checksum_mismatch"
    /// The disk is full.
    case diskFull = "disk_full"

    /// The address is not one that may be dialled.
    case egressDenied = "egress_denied"
    /// The URL leaves the session's scope.
    case urlOutOfScope = "url_out_of_scope"
    /// The session does not follow this redirect.
    case redirectRefused = "redirect_refused"
    /// The session does not allow this method.
    case methodNotAllowed = "method_not_allowed"
    /// Too many failures; the session rests.
    case circuitOpen = "circuit_open"

    /// The owner cancelled.
    case canceled
    /// The task's deadline passed.
    case deadlineExceeded = "deadline_exceeded"
    /// A crash ended an attempt, and it may not be made again.
    case interrupted
    /// The session was closed.
    case sessionClosed = "session_closed"
    /// A fault of the gateway's own.
    case `internal`
}

extension SessionErrorCode {
    /// What part of the work a code belongs to.
    public enum Domain: String, Sendable, Hashable, CaseIterable {
        /// The transfer: names, connections, HTTP itself.
        case transport
        /// The protection of the connection, and who the peer is.
        case tls
        /// Making the request.
        case request
        /// Judging and reading the response.
        case response
        /// Files that content is kept in.
        case file
        /// What a session does not allow.
        case policy
        /// The gateway's own doing.
        case gateway
    }

    /// The part of the work that the code belongs to.
    public var domain: Domain { entry.domain }

    /// The session manager's numeric code, which follows `NSURLErrorDomain` (and 3840 of `NSCocoaErrorDomain`); `nil`
    /// where that has none.
    public var number: Int? { entry.number }

    /// Whether another attempt, some time later, may well succeed.
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
        case .cannotWrite, .diskFull: (.file, -3003, false)
        case .cannotMove, .exists: (.file, -3005, false)
        case .checksumMismatch: (.file, -1015, false)
        case .egressDenied, .urlOutOfScope, .redirectRefused, .methodNotAllowed: (.policy, nil, false)
        case .circuitOpen: (.policy, nil, true)
        case .canceled: (.gateway, -999, false)
        case .deadlineExceeded, .interrupted, .sessionClosed, .internal: (.gateway, nil, false)
        }
    }
}
