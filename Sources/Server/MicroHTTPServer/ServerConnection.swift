import CErrandMicroHTTPD
import ErrandHTTPServer
import Glibc

/// A connection of the server, with all its requests.
///
/// Used on the server's thread only.
final class ServerConnection {
    /// The socket, which libmicrohttpd owns.
    let descriptor: Int32
    /// The address of the peer, as text without a port; empty for a Unix socket.
    let remoteAddress: String
    /// The TLS session, while the connection is open.
    private var session: TLSSession?
    /// The credentials of the handshake, to whose certificate the session refers until it ends.
    private let ownCredentials: TLSCredentials?
    /// The credentials whose authorities verify the client's certificate.
    private var credentials: TLSCredentials?
    /// The result of verifying the client's certificate, once it was needed.
    private var certificate: ClientVerification?
    var clock: ConnectionClock
    /// The active request, if any.
    var exchange: Exchange?
    /// True if the peer has closed its sending side.
    ///
    /// It may still read.
    var peerLeft = false
    /// True if this side has shut down both directions.
    private(set) var isDisconnected = false
    /// True if the end of the last response is the end of the connection, so that libmicrohttpd closes the socket.
    private(set) var isFinished = false
    /// True if libmicrohttpd has closed the socket; the descriptor may have been reused since.
    private(set) var isClosed = false
    /// True if a request was received, so that a TLS handshake is complete.
    private var hasSpoken = false
    /// libmicrohttpd's connection, valid until it is closed.
    private let handle: OpaquePointer
    /// True during a TLS handshake.
    private(set) var isShakingHands: Bool
    /// True if libmicrohttpd has suspended the handshake.
    private var isParked = false
    /// True if libmicrohttpd was told to look at a finished connection.
    private var isReleased = false
    private let loop: ServerLoop
    /// True if the connection uses TLS.
    let isEncrypted: Bool
    /// The validator of the received bytes.
    private(set) var stream: RequestStreamValidator
    /// The number of requests whose request line libmicrohttpd has read.
    private(set) var requests = 0

    init(handle: OpaquePointer, loop: ServerLoop, now: Milliseconds) {
        self.handle = handle
        self.loop = loop
        descriptor = cmicrohttpd_socket(handle)
        remoteAddress = Self.text(of: cmicrohttpd_peer(handle))
        session = TLSSession(of: handle)
        ownCredentials = session == nil ? nil : loop.credentials
        credentials = ownCredentials
        if let ownCredentials { session?.use(ownCredentials) }
        isEncrypted = session != nil
        isShakingHands = isEncrypted
        stream = RequestStreamValidator(limits: loop.configuration.limits.stream)
        clock = ConnectionClock(now: now)
    }

    /// True if the connection is open and between two requests.
    var isIdle: Bool { !isClosed && exchange == nil }

    /// True if the peer has closed its sending side and its remaining bytes are no complete request, so that nothing
    /// can follow.
    var isDeserted: Bool {
        guard peerLeft, !isClosed, cmicrohttpd_unread(descriptor) == 0, session?.hasUnread != true else { return false }
        return exchange?.machine.waitsForPeer ?? true
    }

    /// True if the peer has closed its sending side before the end of the content under way, whose reader lets it wait,
    /// so that libmicrohttpd does not read on and notice.
    var hasTruncatedContent: Bool {
        guard peerLeft, !isClosed, let exchange, exchange.machine.isReceiving, exchange.machine.isSuspended else {
            return false
        }
        // Encrypted bytes are more than those of the content.
        return stream.missingContentBytes > UInt64(max(cmicrohttpd_unread(descriptor), 0))
            && session?.hasUnread != true
    }

    /// Records that a request line was received.
    func began(_ exchange: Exchange, now: Milliseconds) {
        hasSpoken = true
        requests += 1
        self.exchange = exchange
        clock.headBegan(now: now)
    }

    // MARK: What comes

    /// A reason for which libmicrohttpd gets no more of the received bytes.
    enum ReadBlock {
        /// The connection is closing.
        case ended
        /// The next request is rejected, once the requests before it have their responses.
        case refused
    }

    /// The reason for which libmicrohttpd gets no more bytes, if any.
    var readBlock: ReadBlock? {
        if isDisconnected { return .ended }
        return stream.problem == nil ? nil : .refused
    }

    /// True if all bytes of the request under way were passed to libmicrohttpd, whether it has processed them or not.
    var hasWholeRequest: Bool { exchange != nil && requests <= stream.completedRequests }

    /// Validates bytes that were just received.
    ///
    /// - Returns: The number of bytes that libmicrohttpd gets.
    func judge(_ bytes: UnsafeRawBufferPointer) -> Int {
        let admitted = bytes.withMemoryRebound(to: UInt8.self) { stream.admit($0.span) }
        if stream.problem != nil {
            loop.reconsider(self)
        }
        return admitted
    }

    /// The problem to respond with now: that of the rejected request, once no request before it is open.
    var problemToSend: ProblemDetails? {
        guard let problem = stream.problem, !isDisconnected, !isClosed else { return nil }
        guard let exchange else { return requests >= stream.completedRequests ? problem : nil }
        let isRefused = requests > stream.completedRequests
        return isRefused && (exchange.machine.awaitsHead || exchange.machine.isReceiving) ? problem : nil
    }

    /// True if the request line that libmicrohttpd reports has passed through ``judge(_:)``.
    var hasJudgedRequest: Bool { requests <= stream.requestLines }

    /// Returns the result of verifying the client's certificate with the server's current authorities.
    ///
    /// A connection without TLS has no certificate. Call this only after a request was received, because the handshake
    /// may be incomplete before.
    func clientCertificate() -> ClientVerification {
        if let current = loop.credentials, current !== credentials {
            session?.use(current)
            credentials = current
            certificate = nil
        }
        if let certificate { return certificate }
        let verdict = session?.verifyClient() ?? .refused(.missing)
        certificate = verdict
        return verdict
    }

    /// True for a connection of a Unix socket, whose client the system has authorized.
    var isLocal: Bool {
        var domain: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_UNIX
    }

    /// Shuts down both directions.
    ///
    /// libmicrohttpd detects this and closes the connection.
    func disconnect() {
        // A truncated response must not look complete: in HTTP/1.0 the end of the connection may be the only end mark.
        if !isDisconnected, hasSpoken, exchange?.machine.isResponding != true {
            session?.sendCloseNotify()
        }
        isDisconnected = true
        shutdown(descriptor, Int32(SHUT_RDWR))
        unpark()
    }

    /// Closes the connection from this side after a response that was sent without libmicrohttpd.
    ///
    /// libmicrohttpd closes the socket in its next turn. Unlike with ``disconnect()``, bytes that the client still
    /// sends do not destroy the response.
    ///
    /// - Parameter isSuspended: True if libmicrohttpd has suspended the connection.
    func close(isSuspended: Bool) {
        guard !isDisconnected else { return }
        session?.sendCloseNotify()
        isDisconnected = true
        shutdown(descriptor, Int32(SHUT_WR))
        guard !isParked else { return unpark() }
        // A resumed connection is read from, whether anything was received or not.
        if !isSuspended {
            MHD_suspend_connection(handle)
        }
        MHD_resume_connection(handle)
    }

    /// Records that the end of the last response is the end of the connection.
    func finish() {
        isFinished = true
    }

    /// Lets libmicrohttpd close the socket after the last response.
    ///
    /// libmicrohttpd 0.9.75 does not free a connection that was suspended and whose stream then reports an error, or its
    /// end without chunks and without a length. It would keep the connection as long as an older one is open. It frees a
    /// connection that it resumes.
    func release() {
        guard !isClosed, !isReleased else { return }
        isReleased = true
        MHD_suspend_connection(handle)
        MHD_resume_connection(handle)
    }

    /// Suspends a handshake that waits for the client.
    ///
    /// - Returns: `false` if there is nothing to wait for because the handshake, or the connection, is over.
    func parkHandshake() -> Bool {
        guard isShakingHands, !isClosed, !isDisconnected else { return false }
        isShakingHands = session?.isEstablished == false
        guard isShakingHands else { return false }
        MHD_suspend_connection(handle)
        isParked = true
        return true
    }

    /// Resumes the handshake in libmicrohttpd.
    func unpark() {
        guard isParked else { return }
        isParked = false
        MHD_resume_connection(handle)
    }

    /// Records that libmicrohttpd closes the socket.
    func ended() {
        isClosed = true
        session = nil
    }

    /// Sends bytes without libmicrohttpd, as many as fit into the socket's buffer.
    ///
    /// Call this only when libmicrohttpd has nothing to send, which is before the request is complete. It informs a
    /// misbehaving client on a best-effort basis: bytes that do not fit are lost.
    func sendLastWords(_ bytes: [UInt8]) {
        if let session {
            session.send(bytes)
        } else {
            _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) }
        }
    }

    /// Returns the address of a peer as text without a port; empty for a Unix socket.
    static func text(of address: UnsafePointer<sockaddr>?) -> String {
        guard let address else { return "" }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            let family = Int32(address.pointee.sa_family)
            let raw = UnsafeRawPointer(address)
            let offset: Int
            switch family {
            case AF_INET: offset = MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) ?? 4
            case AF_INET6: offset = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) ?? 8
            default: return ""
            }
            guard let start = buffer.baseAddress,
                let text = inet_ntop(family, raw + offset, start, socklen_t(buffer.count))
            else { return "" }
            return String(cString: text)
        }
    }
}
