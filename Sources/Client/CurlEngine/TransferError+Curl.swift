import CErrandCurl
import ErrandTime
import ErrandTransfer
import Glibc

extension TransferError {
    /// Creates the error for a libcurl code.
    ///
    /// libcurl's own messages are not passed on, because they contain addresses.
    ///
    /// - Parameters:
    ///   - code: The code with which libcurl gave up.
    ///   - mayHaveArrived: True if a part of the request was sent.
    init(_ code: CURLcode, mayHaveArrived: Bool) {
        let (kind, message) = Self.meaning(of: code)
        self.init(kind, message, mayHaveArrived: mayHaveArrived)
    }

    /// Creates the error of a response that libcurl could not parse; `nil` if the code is about something else.
    ///
    /// The codes have this meaning only as the result of a transfer. A call of the engine returns them if it was wrong.
    ///
    /// - Parameters:
    ///   - result: The code with which libcurl ended the transfer.
    ///   - wasSent: True if a part of the request was sent.
    init?(responseOf result: CURLcode, wasSent: Bool) {
        switch result {
        case CURLE_UNSUPPORTED_PROTOCOL where wasSent:
            // libcurl's code for a response without a status line, as HTTP/0.9 would have.
            self.init(.cannotParseResponse, "The response is not HTTP/1.0 or later", mayHaveArrived: true)
        case CURLE_BAD_FUNCTION_ARGUMENT where wasSent:
            // libcurl's code for a field line without a colon, or a folded line before any field.
            self.init(.cannotParseResponse, "A field line of the response is malformed", mayHaveArrived: true)
        default:
            return nil
        }
    }

    /// Creates the error that a proxy reported while connecting; `nil` if the proxy is not the cause.
    ///
    /// - Parameters:
    ///   - easy: The handle, still holding the transfer.
    ///   - code: The code with which libcurl gave up.
    init?(proxyOf easy: OpaquePointer, _ code: CURLcode) {
        switch code {
        case CURLE_PROXY:
            // SOCKS (RFC 1928 and RFC 1929).
            switch ccurl_proxy_error(easy) {
            case CURLPX_NO_AUTH, CURLPX_USER_REJECTED: self = .proxyAuthenticationFailed
            case CURLPX_RESOLVE_HOST: self.init(.cannotFindHost, "The name of the host could not be resolved")
            default: return nil
            }
        case CURLE_RECV_ERROR:
            // libcurl's code for every response to CONNECT other than 2xx (RFC 9110 §9.3.6).
            switch ccurl_proxy_status(easy) {
            case 407: self = .proxyAuthenticationFailed
            case 300...: self.init(CURLE_PROXY, mayHaveArrived: false)
            default: return nil
            }
        default:
            return nil
        }
    }

    /// Creates the error of a connection that could not be made; `nil` if the code is about something else.
    ///
    /// - Parameters:
    ///   - request: The request, which would be sent directly to its host.
    ///   - code: The code with which libcurl gave up.
    ///   - systemError: The error number (errno) of the connection that failed; 0 for none.
    init?(connectingTo request: TransferRequest, _ code: CURLcode, systemError: Int32) {
        let place = "\(request.url.host) port \(request.url.port)"
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            self.init(.cannotFindHost, "The name \(request.url.host) could not be resolved")
        case CURLE_COULDNT_CONNECT:
            self.init(connectingTo: place, systemError: systemError)
        case CURLE_OPERATION_TIMEDOUT:
            // The system may give up earlier.
            guard let limit = request.timeouts.connect, systemError != ETIMEDOUT else {
                self.init(.timedOut, "Connecting to \(place) timed out")
                return
            }
            self.init(.timedOut, "No connection to \(place) was made within timeouts.connect = \(limit.shortText)")
        default:
            return nil
        }
    }

    /// Creates the error of a proxy to which no route leads, or to which this machine itself has refused to connect;
    /// `nil` if the failure is another.
    ///
    /// - Parameters:
    ///   - code: The code with which libcurl gave up.
    ///   - systemError: The error number (errno) of the connection that failed; 0 for none.
    init?(connectingToProxy code: CURLcode, systemError: Int32) {
        guard code == CURLE_COULDNT_CONNECT, Self.meansNoRoute(systemError) || Self.isOfThisMachine(systemError) else {
            return nil
        }
        self.init(connectingTo: "the proxy", systemError: systemError)
    }

    /// Creates the error of a connection that could not be made.
    private init(connectingTo place: String, systemError: Int32) {
        let reason = Self.reason(ofSystemError: systemError).map { ": \($0)" } ?? ""
        self.init(
            Self.meansNoRoute(systemError) ? .notConnected : .cannotConnect, "Could not connect to \(place)\(reason)")
        isLocal = Self.meansNoResource(systemError)
    }

    /// Returns true for the error numbers (errno) of a machine without a network, or without a route to an address.
    static func meansNoRoute(_ systemError: Int32) -> Bool {
        systemError == ENETUNREACH || systemError == ENETDOWN
    }

    /// Returns true for the error numbers (errno) with which this machine itself refuses a connection: it has no free
    /// descriptor, port or memory, or does not permit the connection.
    static func isOfThisMachine(_ systemError: Int32) -> Bool {
        systemError == EACCES || systemError == EPERM || meansNoResource(systemError)
    }

    /// Returns true for the error numbers (errno) of a machine without a free descriptor, port or memory.
    private static func meansNoResource(_ systemError: Int32) -> Bool {
        switch systemError {
        case EADDRNOTAVAIL, EADDRINUSE, EMFILE, ENFILE, ENOBUFS, ENOMEM: true
        default: false
        }
    }

    /// Returns the words for an error of the system; `nil` for one that is not about the peer, the network or this
    /// machine.
    private static func reason(ofSystemError number: Int32) -> String? {
        switch number {
        case ECONNREFUSED: "connection refused"
        case ECONNRESET: "connection reset"
        case EHOSTUNREACH: "the host cannot be reached"
        case ENETUNREACH: "no route leads to it"
        case ENETDOWN: "the network of this machine is down"
        case ETIMEDOUT: "no answer"
        case EACCES, EPERM: "not permitted by the system; check the firewall of this machine"
        case EADDRNOTAVAIL, EADDRINUSE:
            "no local address or port is available; check the addresses of this machine (IPv6), widen the range of "
                + "local ports (net.ipv4.ip_local_port_range), or try again later"
        case EMFILE:
            "this process has no free descriptor for a connection; raise its limit of open files, or try again later"
        case ENFILE:
            "this machine has no free descriptor for a connection; raise its limit of open files (fs.file-max), or try "
                + "again later"
        case ENOBUFS, ENOMEM: "this machine has no free memory for a connection; free some, or try again later"
        default: nil
        }
    }

    /// A Boolean value that indicates whether the peer requires a client certificate or rejects the one presented.
    var isAboutClientCertificate: Bool { code == .clientCertificateRequired || code == .clientCertificateRejected }

    /// The error of a proxy that requires credentials or rejects those sent (RFC 9110 §15.5.8).
    static let proxyAuthenticationFailed = TransferError(
        .authenticationFailed, "The proxy did not accept the credentials")

    private static func meaning(of code: CURLcode) -> (Code, String) {
        switch code {
        case CURLE_WEIRD_SERVER_REPLY:
            (.cannotParseResponse, "The response is malformed")
        case CURLE_UNSUPPORTED_PROTOCOL:
            (.unsupportedURL, "The scheme of the URL is not supported")
        case CURLE_URL_MALFORMAT:
            (.badURL, "The URL is malformed")
        case CURLE_COULDNT_RESOLVE_PROXY:
            (.cannotFindHost, "The name of the proxy could not be resolved")
        case CURLE_COULDNT_RESOLVE_HOST:
            (.cannotFindHost, "The name of the host could not be resolved")
        case CURLE_COULDNT_CONNECT:
            (.cannotConnect, "No connection could be made")
        case CURLE_PROXY:
            (.cannotConnect, "The proxy did not make a connection")
        case CURLE_INTERFACE_FAILED:
            (.cannotConnect, "The network interface cannot be used; check connection.interface of the session")
        case CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3:
            (.connectionLost, "The peer broke the protocol")
        case CURLE_GOT_NOTHING:
            (.connectionLost, "The connection was closed without a response")
        case CURLE_PARTIAL_FILE:
            (.connectionLost, "The connection was closed before the response was complete")
        case CURLE_UPLOAD_FAILED:
            (.connectionLost, "The upstream speaks HTTP/1.0, which has no content of unknown length")
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            (.connectionLost, "The connection was lost")
        case CURLE_OPERATION_TIMEDOUT:
            (.timedOut, "No connection was made before the timeout")
        case CURLE_WRITE_ERROR:
            (.cannotWrite, "The response could not be received")
        case CURLE_ABORTED_BY_CALLBACK:
            (.canceled, TransferError.canceled.message)
        case CURLE_SSL_CERTPROBLEM:
            (.clientCertificateRejected, "The client certificate cannot be used")
        case CURLE_SSL_CLIENTCERT:
            (.clientCertificateRequired, "The peer requires a client certificate")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS:
            (.untrustedRoot, "The certificate of the peer is not trusted")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_SHUTDOWN_FAILED:
            (.secureConnectionFailed, "TLS could not be established")
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED:
            (.secureConnectionFailed, "The files or engines that TLS needs cannot be used")
        case CURLE_BAD_CONTENT_ENCODING:
            (.badContentEncoding, "The content of the response could not be decoded")
        case CURLE_FILESIZE_EXCEEDED:
            (.bodyTooLarge, "The content of the response is too large")
        case CURLE_SEND_FAIL_REWIND:
            (.bodyStreamExhausted, "The request content had to be sent again, but its source cannot be rewound")
        case CURLE_AUTH_ERROR, CURLE_LOGIN_DENIED:
            (.authenticationFailed, "The credentials were not accepted")
        case CURLE_OUT_OF_MEMORY:
            (.transportError, "Out of memory")
        default:
            (.transportError, "The transfer failed with libcurl's code \(code.rawValue)")
        }
    }
}
