import CCurl
import Glibc
import Transfer

/// The options of an easy handle, one function for each concern.
struct CurlOptions {
    let handle: OpaquePointer

    // MARK: Once for a handle

    /// What libcurl does and leaves.
    func setBehaviour() throws(CurlFailure) {
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_NOPROGRESS, 1)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        // Each hop is judged before it is made, and is a transfer of its own.
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_HTTP09_ALLOWED, 0)
        try set(CURLOPT_PATH_AS_IS, 1)
        // A cancel must not wait for a resolver's thread.
        try set(CURLOPT_QUICK_EXIT, 1)
        // What recv(2) gets at most; pieces of content are never larger, and each running transfer has one.
        try set(CURLOPT_BUFFERSIZE, 16_384)
        try set(CURLOPT_TCP_NODELAY, 1)
        try set(CURLOPT_TCP_KEEPALIVE, 1)
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    }

    /// Who is called.
    ///
    /// `easy` stands for a ``CurlEasy``, `multi` for a ``MultiEvents``.
    func setCallbacks(easy: UnsafeMutableRawPointer, multi: UnsafeMutableRawPointer) throws(CurlFailure) {
        try CurlFailure.check(ccurl_set_pointer(handle, CURLOPT_PRIVATE, easy))
        try CurlFailure.check(ccurl_set_header(handle, curlHeader, easy))
        try CurlFailure.check(ccurl_set_write(handle, curlWrite, easy))
        try CurlFailure.check(ccurl_set_read(handle, curlRead, easy))
        try CurlFailure.check(ccurl_set_seek(handle, curlSeek, easy))
        try CurlFailure.check(ccurl_set_prerequest(handle, curlPrerequest, easy))
        try CurlFailure.check(ccurl_set_open_socket(handle, curlOpenSocket, easy))
        // The connection may outlive the handle.
        try CurlFailure.check(ccurl_set_close_socket(handle, curlCloseSocket, multi))
    }

    /// How connections are made.
    func setConnection(_ options: ConnectionOptions) throws(CurlFailure) {
        switch options.version {
        case .automatic:
            try set(CURLOPT_HTTP_VERSION, ccurl_HTTP_2_TLS)
        case .http1:
            try set(CURLOPT_HTTP_VERSION, ccurl_HTTP_1_1)
        case .http2:
            try set(CURLOPT_HTTP_VERSION, ccurl_HTTP_2_PRIOR_KNOWLEDGE)
        }
        // Empty: none, whatever the environment says, which would pass by the judging of addresses.
        try set(CURLOPT_PROXY, options.proxy ?? "")
        // Empty: no exceptions, whatever the environment says.
        try set(CURLOPT_NOPROXY, "")
        if let interface = options.interface {
            try set(CURLOPT_INTERFACE, Self.source(interface))
        }
        try set(CURLOPT_UNIX_SOCKET_PATH, options.unixSocket)
    }

    /// An interface or address in the form of `CURLOPT_INTERFACE`.
    ///
    /// With a prefix, because libcurl looks up a name that is neither, and keeps the loop's thread waiting for that.
    private static func source(_ interface: String) -> String {
        guard !interface.hasPrefix("if!") else { return interface }
        var address = in6_addr()
        let isAddress = inet_pton(AF_INET, interface, &address) == 1 || inet_pton(AF_INET6, interface, &address) == 1
        return (isAddress ? "host!" : "if!") + interface
    }

    /// Has the handle make connections that nothing is sent over.
    ///
    /// An HTTP proxy is asked for a tunnel: nobody knows otherwise whether it could make the connection.
    func setProbe() throws(CurlFailure) {
        try set(CURLOPT_CONNECT_ONLY, 1)
        try set(CURLOPT_HTTPPROXYTUNNEL, 1)
        try set(CURLOPT_HTTP_VERSION, ccurl_HTTP_1_1)
    }

    /// Hosts that are not looked up.
    ///
    /// The list must outlive the handle.
    func setFixedAddresses(_ list: FixedAddressList) throws(CurlFailure) {
        try CurlFailure.check(ccurl_set_list(handle, CURLOPT_RESOLVE, list.head))
    }

    /// What is asked of TLS, with the peer and with a proxy.
    ///
    /// Who is at the other end is judged by ``PeerHandshake``, and libcurl only told that a peer which was not accepted
    /// ends the handshake.
    func setTLS(_ options: TLSOptions, easy: UnsafeMutableRawPointer) throws(CurlFailure) {
        // Fails where libcurl was built with another library than OpenSSL: nothing is sent then.
        try CurlFailure.check(ccurl_set_tls_context(handle, curlTLSContext, easy))
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_PROXY_SSL_VERIFYPEER, 1)
        // The name is a part of what is judged, and roots that libcurl reads for each connection would be for nothing.
        try set(CURLOPT_SSL_VERIFYHOST, 0)
        try set(CURLOPT_PROXY_SSL_VERIFYHOST, 0)
        for option in [CURLOPT_CAINFO, CURLOPT_CAPATH, CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH] {
            try set(option, nil)
        }
        // OpenSSL judges nobody anew when a TLS session is resumed (RFC 8446 §2.2), and handles keep those for good.
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

    /// The URL object that is dialled, whatever it holds when a transfer starts.
    func setURL(_ url: OpaquePointer) throws(CurlFailure) {
        try CurlFailure.check(ccurl_set_url(handle, url))
    }

    // MARK: For each transfer

    /// The header fields.
    ///
    /// The handle keeps the pointer: the list must live until the next is set.
    func setHeaders(_ list: borrowing CurlList) throws(CurlFailure) {
        try CurlFailure.check(ccurl_set_list(handle, CURLOPT_HTTPHEADER, list.head))
    }

    /// Whether the transfer gets a connection that serves nothing else.
    func setOwnConnection(_ isOwn: Bool) throws(CurlFailure) {
        try set(CURLOPT_FRESH_CONNECT, isOwn ? 1 : 0)
        try set(CURLOPT_FORBID_REUSE, isOwn ? 1 : 0)
    }

    /// Whether the transfer waits for a connection that is being made, to become a stream of it, rather than make one.
    func setWaitsForConnection(_ waits: Bool) throws(CurlFailure) {
        try set(CURLOPT_PIPEWAIT, waits ? 1 : 0)
    }

    /// Whether codings of content are offered, and decoded.
    ///
    /// Offered are those of which one read becomes a few megabytes at most. Of br and zstd it may become gigabytes, which
    /// libcurl decodes in one piece of work and keeps in memory while the receiver pauses. Sent all the same, they are
    /// decoded too.
    func setCompression(_ accepts: Bool) throws(CurlFailure) {
        try set(CURLOPT_ACCEPT_ENCODING, accepts ? "gzip, deflate" : nil)
    }

    /// The limit of time to make a connection, which libcurl divides among a host's addresses.
    func setConnectTimeout(_ timeout: Duration?) throws(CurlFailure) {
        // 0 is libcurl's own limit of five minutes; the largest number it takes is over three weeks.
        let milliseconds = timeout.map { $0 / .milliseconds(1) } ?? .infinity
        try set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, min(milliseconds, 2_147_483_000))))
    }

    /// The method and the content.
    func setMessage(_ shape: MessageShape, content: [UInt8]?) throws(CurlFailure) {
        // Takes back what a message before has set: upload, POST, no body.
        try set(CURLOPT_UPLOAD, 0)
        try set(CURLOPT_HTTPGET, 1)
        switch shape {
        case .bare(let method):
            try set(CURLOPT_CUSTOMREQUEST, method == "GET" ? nil : method)
        case .head:
            try set(CURLOPT_CUSTOMREQUEST, nil)
            try set(CURLOPT_NOBODY, 1)
        case .inline(let method, let length):
            try set(CURLOPT_POST, 1)
            try CurlFailure.check(ccurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(length)))
            try setContent(content ?? [])
            try set(CURLOPT_CUSTOMREQUEST, method == "POST" ? nil : method)
        case .streamed(let method, let length):
            try set(CURLOPT_UPLOAD, 1)
            try CurlFailure.check(ccurl_set_offset(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(length ?? -1)))
            try set(CURLOPT_CUSTOMREQUEST, method == "PUT" ? nil : method)
        }
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
