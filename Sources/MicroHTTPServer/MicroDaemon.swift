import CMicroHTTPD
import Glibc

/// A libmicrohttpd daemon with its listening socket.
///
/// The server's thread only, from the first ``run()`` on.
final class MicroDaemon {
    private let handle: OpaquePointer
    /// The daemon refers to it.
    private let credentials: TLSCredentials?
    private let file: SocketFile?
    /// Readable when ``run()`` has something to do.
    let epollDescriptor: Int32
    private var hasStopped = false

    /// Starts a daemon that serves `socket`.
    ///
    /// - Parameters:
    ///   - credentials: What to speak TLS with; `nil` for HTTP without it.
    ///   - context: The ``ServerLoop`` that the callbacks go to. It has to live until ``stop()``.
    init(
        socket: consuming ListenSocket, address: ListenAddress, limits: ServerConfiguration.Limits,
        credentials: TLSCredentials?, context: UnsafeMutableRawPointer
    ) throws(MicroHTTPServerError) {
        var callbacks = cmicrohttpd_callbacks(
            context: context, target: beginRequest, access: accessRequest, completed: completeRequest,
            connection: noteConnection, log: logMessage)
        var sizes = cmicrohttpd_limits(
            connections: UInt32(clamping: limits.maxConnections),
            connections_per_address: UInt32(clamping: limits.maxConnectionsPerAddress),
            connection_memory: min(max(limits.maxHeaderBytes, 8 * 1024), 1 << 30) * 2)
        let listener = socket.descriptor
        // A daemon that cannot speak TLS does not fall back to doing without.
        let started =
            if let credentials {
                credentials.withOptions { cmicrohttpd_start(listener, &callbacks, &sizes, $0) }
            } else {
                cmicrohttpd_start(listener, &callbacks, &sizes, nil)
            }
        guard let handle = started else {
            throw MicroHTTPServerError(.daemonRefused, address: address)
        }
        self.credentials = credentials
        file = socket.file
        // The daemon closes the socket from now on.
        socket.release()
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
        file?.remove()
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
        file?.remove()
        MHD_stop_daemon(handle)
    }
}
