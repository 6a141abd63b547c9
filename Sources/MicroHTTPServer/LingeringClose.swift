import EventLoop
import Glibc

/// Reads what refused clients still send, for a while, before their connections are really closed.
///
/// A socket that is closed with unread bytes resets the connection, and a reset destroys the answer that the client has
/// not read yet: it would see a broken connection instead of the 413 that explains it. So a duplicate of the socket
/// keeps it open until the client has read the answer and closes, for at most two seconds. The server's thread only.
struct LingeringClose {
    private static let longest: Milliseconds = 2000
    private static let mostBytes = 8 * 1024 * 1024
    /// Beyond this many, connections are closed at once: whoever sends so many refused requests does not care.
    private static let mostConnections = 256

    private struct Socket {
        var deadline: Milliseconds
        var bytesLeft: Int
    }

    private let loop: EventLoop
    private var sockets: [Int32: Socket] = [:]

    init(loop: EventLoop) {
        self.loop = loop
    }

    var isEmpty: Bool { sockets.isEmpty }

    /// Keeps a socket open that libmicrohttpd is about to close.
    mutating func adopt(_ descriptor: Int32, now: Milliseconds) {
        guard sockets.count < Self.mostConnections else { return }
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return }
        guard loop.watch(duplicate, for: [.readable, .peerClosed]) else {
            close(duplicate)
            return
        }
        sockets[duplicate] = Socket(deadline: now + Self.longest, bytesLeft: Self.mostBytes)
    }

    /// Reads from a socket that is ready.
    ///
    /// `false` when the descriptor is none of these.
    mutating func drain(_ descriptor: Int32) -> Bool {
        guard var socket = sockets[descriptor] else { return false }
        let count = withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 16) { buffer in
            recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        }
        if count > 0 {
            socket.bytesLeft -= count
        }
        let wouldBlock = count < 0 && (errno == EAGAIN || errno == EINTR)
        if wouldBlock || count > 0 && socket.bytesLeft > 0 {
            sockets[descriptor] = socket
        } else {
            release(descriptor)
        }
        return true
    }

    /// Closes the sockets whose time is over.
    mutating func sweep(now: Milliseconds) {
        for (descriptor, socket) in sockets where now >= socket.deadline {
            release(descriptor)
        }
    }

    /// Closes all of them.
    mutating func closeAll() {
        for descriptor in sockets.keys {
            release(descriptor)
        }
    }

    private mutating func release(_ descriptor: Int32) {
        sockets[descriptor] = nil
        loop.unwatch(descriptor)
        close(descriptor)
    }
}
