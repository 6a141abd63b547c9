import CErrandCurl
import ErrandTransfer
import Glibc

/// Sets the options of an easy handle, with one function for each concern.
struct CurlOptions {
    let handle: OpaquePointer

    // MARK: Session options

    /// Sets general behaviour: protocols, redirects, signals and buffer size.
    func setBehaviour() throws(CurlFailure) {
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_NOPROGRESS, 1)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        // Redirects are followed by the caller, which checks each hop; every hop is a transfer of its own.
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_HTTP09_ALLOWED, 0)
        try set(CURLOPT_PATH_AS_IS, 1)
        // Canceling must not wait for a resolver thread.
        try set(CURLOPT_QUICK_EXIT, 1)
        // The most that one recv(2) reads, and so the largest piece of content. Each running transfer has such a
        // buffer.
        try set(CURLOPT_BUFFERSIZE, 16_384)
        try set(CURLOPT_TCP_NODELAY, 1)
        try set(CURLOPT_TCP_KEEPALIVE, 1)
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    }

    /// Sets the buffer for descriptions of failures: `ccurl_ERROR_SIZE` bytes that outlive the handle.
    func setErrorText(_ text: UnsafeMutablePointer<CChar>) throws(CurlFailure) {
        try CurlFailure.check(ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, text))
    }

    /// Sets the callbacks.
    ///
    /// `easy` is the context of a ``CurlEasy``, `multi` that of a ``MultiEvents``.
    func setCallbacks(easy: UnsafeMutableRawPointer, multi: UnsafeMutableRawPointer) throws(CurlFailure) {
        try CurlFailure.check(ccurl_set_pointer(handle, CURLOPT_PRIVATE, easy))
        try CurlFailure.check(ccurl_set_header(handle, curlHeader, easy))
        try CurlFailure.check(ccurl_set_write(handle, curlWrite, easy))
        try CurlFailure.check(ccurl_set_read(handle, curlRead, easy))
        try CurlFailure.check(ccurl_set_seek(handle, curlSeek, easy))
        try CurlFailure.check(ccurl_set_prerequest(handle, curlPrerequest, easy))
        try CurlFailure.check(ccurl_set_resolver_start(handle, curlResolverStart, easy))
        try CurlFailure.check(ccurl_set_open_socket(handle, curlOpenSocket, easy))
        // The context is the multi handle's, because the connection may outlive the easy handle.
        try CurlFailure.check(ccurl_set_close_socket(handle, curlCloseSocket, multi))
    }

    /// Sets proxy, local interface and other options for making connections.
    func setConnection(_ options: ConnectionOptions) throws(CurlFailure) {
        switch options.version {
        case .automatic:
            try set(CURLOPT_HTTP_VERSION, ccurl_HTTP_2_TLS)
        case .http1:
            try set(CURLOPT_HTTP_VERSION, ccurl_HTTP_1_1)
        case .http2:
            try set(CURLOPT_HTTP_VERSION, ccurl_HTTP_2_PRIOR_KNOWLEDGE)
        }
        // An empty string disables the proxy of the environment, which would bypass the egress check.
        try set(CURLOPT_PROXY, options.proxy ?? "")
        // An empty string disables the exceptions of the environment.
        try set(CURLOPT_NOPROXY, "")
        if let interface = options.interface {
            try set(CURLOPT_INTERFACE, Self.source(interface))
        }
        try set(CURLOPT_UNIX_SOCKET_PATH, options.unixSocket)
    }

    /// Returns an interface or address in the form of `CURLOPT_INTERFACE`.
    ///
    /// The result has a prefix; without one libcurl resolves any other name and blocks the loop's thread meanwhile.
    private static func source(_ interface: String) -> String {
        guard !interface.hasPrefix("if!") else { return interface }
        var address = in6_addr()
        let isAddress = inet_pton(AF_INET, interface, &address) == 1 || inet_pton(AF_INET6, interface, &address) == 1
        return (isAddress ? "host!" : "if!") + interface
    }

    /// Configures the handle to make a connection without sending a request.
    ///
    /// With an HTTP proxy it opens a tunnel, the only way to learn whether the proxy can reach the host.
    func setProbe() throws(CurlFailure) {
        try set(CURLOPT_CONNECT_ONLY, 1)
        try set(CURLOPT_HTTPPROXYTUNNEL, 1)
        try set(CURLOPT_HTTP_VERSION, ccurl_HTTP_1_1)
    }

    /// Sets the hosts with fixed addresses, which are not resolved.
    ///
    /// The list must outlive the handle.
    func setFixedAddresses(_ list: FixedAddressList) throws(CurlFailure) {
        try CurlFailure.check(ccurl_set_list(handle, CURLOPT_RESOLVE, list.head))
    }

    /// Sets the TLS options for connections to the peer and to a proxy.
    ///
    /// ``PeerHandshake`` verifies the peer; the options only make libcurl end the handshake with a peer that was not
    /// accepted.
    func setTLS(_ options: TLSOptions, easy: UnsafeMutableRawPointer) throws(CurlFailure) {
        // Fails if libcurl was built with a TLS library other than OpenSSL; nothing is sent then.
        try CurlFailure.check(ccurl_set_tls_context(handle, curlTLSContext, easy))
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_PROXY_SSL_VERIFYPEER, 1)
        // ``PeerHandshake`` checks the name and has its own roots; libcurl would load its roots for each connection in
        // vain.
        try set(CURLOPT_SSL_VERIFYHOST, 0)
        try set(CURLOPT_PROXY_SSL_VERIFYHOST, 0)
        for option in [CURLOPT_CAINFO, CURLOPT_CAPATH, CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH] {
            try set(option, nil)
        }
        // OpenSSL does not verify the peer again when it resumes a session (RFC 8446 §2.2), and handles keep sessions.
        try set(CURLOPT_SSL_SESSIONID_CACHE, 0)
        switch options.minimumVersion {
        case .tls12: try setMinimumVersion(ccurl_TLS_1_2)
        case .tls13: try setMinimumVersion(ccurl_TLS_1_3)
        }
    }

    private func setMinimumVersion(_ version: Int) throws(CurlFailure) {
        try set(CURLOPT_SSLVERSION, version)
        try set(CURLOPT_PROXY_SSLVERSION, version)
    }

    // MARK: Request options

    /// Sets the URL.
    ///
    /// The handle keeps the pointer.
    func setURL(_ url: DialledURL) throws(CurlFailure) {
        try CurlFailure.check(ccurl_set_url(handle, url.handle))
    }

    /// Sets the header fields.
    ///
    /// The handle keeps the pointer.
    func setHeaders(_ list: HeaderList) throws(CurlFailure) {
        try CurlFailure.check(ccurl_set_list(handle, CURLOPT_HTTPHEADER, list.head))
    }

    /// Sets whether the transfer gets a connection that serves no other transfer.
    func setOwnConnection(_ isOwn: Bool) throws(CurlFailure) {
        guard isOwn else { return }
        try set(CURLOPT_FRESH_CONNECT, 1)
        try set(CURLOPT_FORBID_REUSE, 1)
    }

    /// Sets whether the transfer waits for a connection being made, to become a stream of it, instead of making one.
    func setWaitsForConnection(_ waits: Bool) throws(CurlFailure) {
        if waits { try set(CURLOPT_PIPEWAIT, 1) }
    }

    /// Sets the connect timeout, which libcurl divides among a host's addresses.
    func setConnectTimeout(_ timeout: Duration?) throws(CurlFailure) {
        // 0 would mean libcurl's default of five minutes; the largest accepted value is just over three weeks.
        let milliseconds = timeout.map { $0 / .milliseconds(1) } ?? .infinity
        try set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, min(milliseconds, 2_147_483_000))))
    }

    /// Sets the method and the content.
    func setMessage(_ shape: MessageShape, content: [UInt8]?) throws(CurlFailure) {
        switch shape {
        case .bare(let method):
            try set(CURLOPT_HTTPGET, 1)
            try setMethod(method, unless: "GET")
        case .head:
            try set(CURLOPT_NOBODY, 1)
        case .inline(let method, let length):
            try set(CURLOPT_POST, 1)
            try CurlFailure.check(ccurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(length)))
            try setContent(content ?? [])
            try setMethod(method, unless: "POST")
        case .streamed(let method, let length):
            try set(CURLOPT_UPLOAD, 1)
            try CurlFailure.check(ccurl_set_offset(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(length ?? -1)))
            try setMethod(method, unless: "PUT")
        }
    }

    /// Sets the method unless libcurl would send it by default.
    private func setMethod(_ method: String, unless usual: String) throws(CurlFailure) {
        if method != usual { try set(CURLOPT_CUSTOMREQUEST, method) }
    }

    private func setContent(_ bytes: [UInt8]) throws(CurlFailure) {
        guard !bytes.isEmpty else { return try set(CURLOPT_COPYPOSTFIELDS, "") }
        let code = bytes.withUnsafeBytes { ccurl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
        try CurlFailure.check(code)
    }

    private func set(_ option: CURLoption, _ value: Int) throws(CurlFailure) {
        try CurlFailure.check(ccurl_set_long(handle, option, value))
    }

    private func set(_ option: CURLoption, _ value: String?) throws(CurlFailure) {
        try CurlFailure.check(ccurl_set_string(handle, option, value))
    }
}
