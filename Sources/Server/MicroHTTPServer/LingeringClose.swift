import ErrandEventLoop
import ErrandFiles
import Glibc

/// A set of closing connections whose remaining input is read for a while.
///
/// A socket that is closed with unread bytes resets the connection, and a reset destroys a response that the client has
/// not read yet: it would see a broken connection instead of the 413 that explains it. Therefore a duplicate of the
/// socket keeps it open until the client has read the response and closes, for at most
/// ``ServerTimeouts/lingering``. Used on the server's thread only.
struct LingeringClose {
    private static let mostBytes = 8 * 1024 * 1024
    /// The most lingering connections; further ones are closed at once, to bound the number of descriptors.
    private static let mostConnections = 256

    private struct Socket {
        var deadline: Milliseconds
        var bytesLeft: Int
    }

    private let loop: EventLoop
    private let longest: Milliseconds
    private var sockets: [Int32: Socket] = [:]

    init(loop: EventLoop, longest: Milliseconds) {
        self.loop = loop
        self.longest = longest
    }

    var isEmpty: Bool { sockets.isEmpty }

    /// Adds a socket that libmicrohttpd is about to close.
    mutating func adopt(_ descriptor: Int32, now: Milliseconds) {
        guard sockets.count < Self.mostConnections else { return }
        let duplicate = DescriptorReserve.admit(fcntl(descriptor, F_DUPFD_CLOEXEC, 0))
        guard duplicate >= 0 else { return }
        guard loop.watch(duplicate, for: [.readable, .peerClosed]) else {
            close(duplicate)
            return
        }
        sockets[duplicate] = Socket(deadline: now + longest, bytesLeft: Self.mostBytes)
    }

    /// Reads from a socket that is ready.
    ///
    /// - Returns: `false` if the descriptor is not one of these sockets.
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

    /// Closes the sockets whose time has expired.
    mutating func closeExpired(at now: Milliseconds) {
        for (descriptor, socket) in sockets where now >= socket.deadline {
            release(descriptor)
        }
    }

    /// Closes all sockets.
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
