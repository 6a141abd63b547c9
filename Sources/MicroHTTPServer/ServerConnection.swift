import CMicroHTTPD
import Glibc

/// A TCP connection of the server, over all its requests.
///
/// The server's thread only.
final class ServerConnection {
    /// The socket, which belongs to libmicrohttpd.
    let descriptor: Int32
    /// The address of the peer, as text without a port.
    let remoteAddress: String
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
    var isClosed = false

    init(handle: OpaquePointer, now: Milliseconds) {
        descriptor = cmicrohttpd_socket(handle)
        remoteAddress = Self.text(of: cmicrohttpd_peer(handle))
        clock = ConnectionClock(now: now)
    }

    /// Open, and between two requests.
    var isIdle: Bool { !isClosed && exchange == nil }

    /// The peer has closed its sending side, and what it has sent before does not make a request: nothing can follow.
    var isDeserted: Bool {
        guard peerLeft, !isClosed, cmicrohttpd_unread(descriptor) == 0 else { return false }
        return exchange?.machine.waitsForPeer ?? true
    }

    /// Ends both directions.
    ///
    /// libmicrohttpd finds out and closes the connection.
    func disconnect() {
        isDisconnected = true
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Sends bytes past libmicrohttpd, as many as fit into the socket's buffer.
    ///
    /// Only where libmicrohttpd has nothing to send: before the request is complete. The client misbehaves, and is told
    /// so as well as can be: what does not fit is lost.
    func sendLastWords(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) }
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
