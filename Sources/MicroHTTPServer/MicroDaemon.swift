import CMicroHTTPD
import Glibc

/// A libmicrohttpd daemon with its listening socket.
///
/// The server's thread only, from the first ``run()`` on.
final class MicroDaemon {
    private let handle: OpaquePointer
    /// Readable when ``run()`` has something to do.
    let epollDescriptor: Int32
    private var hasStopped = false

    /// Starts a daemon that serves `socket`.
    ///
    /// - Parameter context: The ``ServerLoop`` that the callbacks go to. It has to live until ``stop()``.
    init(
        socket: consuming ListenSocket, address: ListenAddress, limits: ServerConfiguration.Limits,
        context: UnsafeMutableRawPointer
    ) throws(MicroHTTPServerError) {
        var callbacks = cmicrohttpd_callbacks(
            context: context, target: beginRequest, access: accessRequest, completed: completeRequest,
            connection: noteConnection, log: logMessage)
        var sizes = cmicrohttpd_limits(
            connections: UInt32(clamping: limits.maxConnections),
            connections_per_address: UInt32(clamping: limits.maxConnectionsPerAddress),
            connection_memory: min(max(limits.maxHeaderBytes, 8 * 1024), 1 << 30) * 2)
        guard let handle = cmicrohttpd_start(socket.descriptor, &callbacks, &sizes) else {
            throw MicroHTTPServerError(.daemonRefused, address: address)
        }
        // The daemon closes the socket from now on.
        _ = socket.release()
        self.handle = handle
        epollDescriptor = cmicrohttpd_epoll_descriptor(handle)
    }

    /// Handles what is ready, without waiting.
    func run() {
        MHD_run(handle)
    }

    /// Whether ``run()`` has left something that is ready already.
    var hasMore: Bool {
        var milliseconds: UInt64 = 0
        return MHD_get_timeout(handle, &milliseconds) == .YES && milliseconds == 0
    }

    /// Stops to listen.
    ///
    /// Connections go on.
    func stopListening() {
        let listener = MHD_quiesce_daemon(handle)
        if listener >= 0 {
            close(listener)
        }
    }

    /// Closes all connections and frees the daemon.
    ///
    /// None may be suspended.
    func stop() {
        guard !hasStopped else { return }
        hasStopped = true
        MHD_stop_daemon(handle)
    }
}
