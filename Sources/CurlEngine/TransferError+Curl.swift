import CCurl
import Transfer

extension TransferError {
    /// What a code of libcurl means to the owner of a transfer.
    ///
    /// Its own texts are not passed on: they name addresses.
    ///
    /// - Parameters:
    ///   - code: Why libcurl gave up.
    ///   - mayHaveArrived: Whether a part of the request was sent.
    init(_ code: CURLcode, mayHaveArrived: Bool) {
        let (kind, message) = Self.meaning(of: code, wasSent: mayHaveArrived)
        self.init(kind, message, mayHaveArrived: mayHaveArrived)
    }

    /// What a proxy had against making a connection, where that is why libcurl gave up; `nil` where it is not.
    ///
    /// - Parameters:
    ///   - easy: The handle, still holding the transfer.
    ///   - code: Why libcurl gave up.
    init?(proxyOf easy: OpaquePointer, _ code: CURLcode) {
        switch code {
        case CURLE_PROXY:
            // SOCKS, RFC 1928 and RFC 1929.
            switch ccurl_proxy_error(easy) {
            case CURLPX_NO_AUTH, CURLPX_USER_REJECTED: self = .proxyAuthenticationFailed
            case CURLPX_RESOLVE_HOST: self.init(.cannotFindHost, "The name of the host could not be resolved")
            default: return nil
            }
        case CURLE_RECV_ERROR:
            // What libcurl says to every answer to CONNECT but 2xx (RFC 9110 §9.3.6).
            switch ccurl_proxy_status(easy) {
            case 407: self = .proxyAuthenticationFailed
            case 300...: self.init(CURLE_PROXY, mayHaveArrived: false)
            default: return nil
            }
        default:
            return nil
        }
    }

    /// Whether the peer wants a client certificate, or another one.
    var isAboutClientCertificate: Bool { code == .clientCertificateRequired || code == .clientCertificateRejected }

    /// The proxy wants credentials, or other ones (RFC 9110 §15.5.8).
    static let proxyAuthenticationFailed = TransferError(
        .authenticationFailed, "The proxy did not accept the credentials")

    private static func meaning(of code: CURLcode, wasSent: Bool) -> (Code, String) {
        switch code {
        case CURLE_UNSUPPORTED_PROTOCOL where wasSent:
            // What libcurl says to an answer without a status line, which HTTP/0.9 would have been.
            (.transportError, "The answer is not HTTP/1.0 or later")
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
            (.cannotConnect, "The network interface cannot be used")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3:
            (.connectionLost, "The peer broke the protocol")
        case CURLE_GOT_NOTHING:
            (.connectionLost, "The connection was closed without an answer")
        case CURLE_PARTIAL_FILE:
            (.connectionLost, "The connection was closed before the answer was complete")
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            (.connectionLost, "The connection was lost")
        case CURLE_OPERATION_TIMEDOUT:
            (.timedOut, "No connection was made within the limit of time")
        case CURLE_WRITE_ERROR:
            (.cannotWrite, "The answer could not be taken")
        case CURLE_ABORTED_BY_CALLBACK:
            (.canceled, TransferError.canceled.message)
        case CURLE_SSL_CERTPROBLEM:
            (.clientCertificateRejected, "The client certificate cannot be used")
        case CURLE_SSL_CLIENTCERT:
            (.clientCertificateRequired, "The peer wants a client certificate")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS:
            (.untrustedRoot, "The certificate of the peer is not trusted")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_SHUTDOWN_FAILED:
            (.secureConnectionFailed, "TLS could not be established")
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED:
            (.secureConnectionFailed, "The files or engines that TLS needs cannot be used")
        case CURLE_BAD_CONTENT_ENCODING:
            (.badContentEncoding, "The content of the answer could not be decoded")
        case CURLE_FILESIZE_EXCEEDED:
            (.bodyTooLarge, "The content of the answer is too large")
        case CURLE_SEND_FAIL_REWIND:
            (.bodyStreamExhausted, "The content had to be sent again and cannot be")
        case CURLE_AUTH_ERROR, CURLE_LOGIN_DENIED:
            (.authenticationFailed, "The credentials were not accepted")
        case CURLE_OUT_OF_MEMORY:
            (.transportError, "Out of memory")
        default:
            (.transportError, "The transfer failed with libcurl's code \(code.rawValue)")
        }
    }
}
