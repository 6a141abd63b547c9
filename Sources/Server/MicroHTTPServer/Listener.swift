import CErrandMicroHTTPD
import ErrandEventLoop
import ErrandFiles
import Glibc

/// A listening socket whose connections are passed to a daemon.
///
/// libmicrohttpd does not accept by itself: without free descriptors it would retry without a pause. Used on the
/// server's thread only, from the first turn on.
final class Listener {
    let daemon: MicroDaemon
    /// The listening socket.
    let descriptor: Int32
    private let file: SocketFile?
    /// True if a connection waits to be accepted.
    var isReady = false
    private var isWatched = false
    private var isOpen = true

    /// The most connections that are accepted before other work is done.
    private static let mostAtOnce = 32

    enum Acceptance {
        case done
        /// The process or the system has no descriptor or memory for another connection.
        case outOfResources(errno: Int32)
    }

    init(socket: consuming ListenSocket, daemon: MicroDaemon) {
        descriptor = socket.descriptor
        file = socket.file
        self.daemon = daemon
        // From now on this object closes the socket.
        socket.release()
    }

    /// Watches the socket while there is room for another connection.
    ///
    /// - Parameter hasRoom: True if the server may have another connection, of any listener.
    /// - Returns: `false` if the system refuses, with the reason in `errno`.
    func watch(_ loop: EventLoop, hasRoom: Bool) -> Bool {
        let wants = isOpen && hasRoom
        guard wants != isWatched else { return true }
        guard wants else {
            pause(loop)
            return true
        }
        isWatched = loop.watch(descriptor, for: .readable)
        return isWatched
    }

    /// Stops watching, so that new connections wait until ``watch(_:hasRoom:)``.
    func pause(_ loop: EventLoop) {
        guard isWatched else { return }
        loop.unwatch(descriptor)
        isWatched = false
        isReady = false
    }

    /// Accepts the waiting connections, as many as the server has room for.
    ///
    /// Others wait in the system's queue. Those of a client that has too many are closed. A connection with one of the
    /// last descriptors is the last that is accepted.
    ///
    /// - Parameters:
    ///   - loop: The server's loop, to which the daemon reports each new connection at once.
    ///   - isShort: True if descriptors have run out before. Then at most one connection is accepted, and none with one
    ///     of the last descriptors, which takes three more system calls.
    func accept(for loop: ServerLoop, isShort: Bool) -> Acceptance {
        isReady = false
        if isShort, DescriptorReserve.isReached(from: descriptor) { return .outOfResources(errno: EMFILE) }
        for _ in 0..<(isShort ? 1 : Self.mostAtOnce) where loop.hasRoom {
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let socket = cmicrohttpd_accept(descriptor, &address, &length)
            guard socket < 0 else {
                guard loop.hasRoom(for: address) else {
                    Glibc.close(socket)
                    continue
                }
                let isLast = DescriptorReserve.contains(socket)
                cmicrohttpd_add(daemon.handle, socket, &address, length)
                if isLast { return .outOfResources(errno: EMFILE) }
                continue
            }
            switch errno {
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .outOfResources(errno: errno)
            case EAGAIN: return .done
            // The client gave up while it waited, or its network failed.
            default: continue
            }
        }
        return .done
    }

    /// Closes the socket; open connections continue.
    func close(_ loop: EventLoop) {
        guard isOpen else { return }
        pause(loop)
        isOpen = false
        file?.remove()
        Glibc.close(descriptor)
    }
}
