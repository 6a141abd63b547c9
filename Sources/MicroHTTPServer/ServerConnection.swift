import CMicroHTTPD
import Glibc

/// A connection of the server, over all its requests.
///
/// The server's thread only.
final class ServerConnection {
    /// The socket, which belongs to libmicrohttpd.
    let descriptor: Int32
    /// The address of the peer, as text without a port; empty for a Unix socket.
    let remoteAddress: String
    /// What encrypts the connection, as long as it is open.
    private var session: TLSSession?
    /// The judgement of the client's certificate, once it was needed.
    private var certificate: ClientCertificate?
    var clock: ConnectionClock
    /// The request that is on, if there is one.
    var exchange: Exchange?
    /// The peer has closed its sending side.
    ///
    /// It may still read.
    var peerLeft = false
    /// Both directions have been ended from this side.
    private(set) var isDisconnected = false
    /// libmicrohttpd has closed the socket; its descriptor may be another's by now.
    private(set) var isClosed = false
    /// A request has come, so that a TLS handshake is over.
    private var hasSpoken = false
    /// libmicrohttpd's connection, valid until it is closed.
    private let handle: OpaquePointer
    /// A TLS handshake is on.
    private(set) var isShakingHands: Bool
    /// libmicrohttpd has been told to leave the handshake alone.
    private var isParked = false

    init(handle: OpaquePointer, now: Milliseconds) {
        self.handle = handle
        descriptor = cmicrohttpd_socket(handle)
        remoteAddress = Self.text(of: cmicrohttpd_peer(handle))
        session = TLSSession(of: handle)
        isShakingHands = session != nil
        clock = ConnectionClock(now: now)
    }

    /// Open, and between two requests.
    var isIdle: Bool { !isClosed && exchange == nil }

    /// The peer has closed its sending side, and what it has sent before does not make a request: nothing can follow.
    var isDeserted: Bool {
        guard peerLeft, !isClosed, cmicrohttpd_unread(descriptor) == 0, session?.hasUnread != true else { return false }
        return exchange?.machine.waitsForPeer ?? true
    }

    /// A request line has come.
    func began(_ exchange: Exchange, now: Milliseconds) {
        hasSpoken = true
        self.exchange = exchange
        clock.headBegan(now: now)
    }

    /// Who the client is by its certificate, judged once for all requests of the connection.
    ///
    /// A connection without TLS proves nothing. Not before a request has come, as the handshake may not be over.
    func clientCertificate() -> ClientCertificate {
        if let certificate { return certificate }
        let verdict = session?.verifyClient() ?? .refused(.missing)
        certificate = verdict
        return verdict
    }

    /// Whether it is one of a Unix socket, whose client the system has let in.
    var isLocal: Bool {
        var domain: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_UNIX
    }

    /// Ends both directions.
    ///
    /// libmicrohttpd finds out and closes the connection.
    func disconnect() {
        // An answer that is cut off must not look complete: HTTP/1.0 may have nothing else to tell the end by.
        if !isDisconnected, hasSpoken, exchange?.machine.isResponding != true {
            session?.sendCloseNotify()
        }
        isDisconnected = true
        shutdown(descriptor, Int32(SHUT_RDWR))
        unpark()
    }

    /// Keeps libmicrohttpd from a handshake that waits for the client.
    ///
    /// `false` when there is nothing to wait for: the handshake, or the connection, is over.
    func parkHandshake() -> Bool {
        guard isShakingHands, !isClosed, !isDisconnected else { return false }
        isShakingHands = session?.isEstablished == false
        guard isShakingHands else { return false }
        MHD_suspend_connection(handle)
        isParked = true
        return true
    }

    /// Lets libmicrohttpd go on with the handshake.
    func unpark() {
        guard isParked else { return }
        isParked = false
        MHD_resume_connection(handle)
    }

    /// libmicrohttpd closes the socket.
    func ended() {
        isClosed = true
        session = nil
    }

    /// Sends bytes past libmicrohttpd, as many as fit into the socket's buffer.
    ///
    /// Only where libmicrohttpd has nothing to send: before the request is complete. The client misbehaves, and is told
    /// so as well as can be: what does not fit is lost.
    func sendLastWords(_ bytes: [UInt8]) {
        if let session {
            session.send(bytes)
        } else {
            _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) }
        }
    }

    private static func text(of address: UnsafePointer<sockaddr>?) -> String {
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
