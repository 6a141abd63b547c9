import CErrandMicroHTTPD
import ErrandHTTPServer
import Glibc

/// A libmicrohttpd daemon that serves the connections which a ``Listener`` accepts.
///
/// Used on the server's thread only, from the first ``run()`` on.
final class MicroDaemon {
    let handle: OpaquePointer
    /// A descriptor that is readable when ``run()`` has work to do.
    let epollDescriptor: Int32
    private var hasStopped = false

    /// The versions of TLS with GnuTLS's own choice of algorithms, in the order that the server prefers.
    private static let priorities = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"

    /// Starts a daemon.
    ///
    /// - Parameters:
    ///   - usesTLS: True for TLS. The context then gives each connection its credentials before the handshake.
    ///   - context: The ``ServerLoop`` that receives the callbacks. It has to live until ``stop()``.
    init(
        address: ListenAddress, limits: ServerLimits, usesTLS: Bool, context: UnsafeMutableRawPointer
    ) throws(MicroHTTPServerError) {
        var callbacks = cmicrohttpd_callbacks(
            context: context, target: beginRequest, access: accessRequest, completed: completeRequest,
            connection: noteConnection, log: logMessage)
        var sizes = cmicrohttpd_limits(
            connections: UInt32(clamping: limits.maxConnections), connection_memory: limits.connectionMemoryBytes)
        // A daemon that cannot use TLS fails to start; it does not fall back to plain HTTP.
        let started =
            if usesTLS {
                Self.priorities.withCString { cmicrohttpd_start(&callbacks, &sizes, $0) }
            } else {
                cmicrohttpd_start(&callbacks, &sizes, nil)
            }
        guard let handle = started else {
            throw MicroHTTPServerError(.daemonRefused, address: address)
        }
        self.handle = handle
        epollDescriptor = cmicrohttpd_epoll_descriptor(handle)
    }

    /// Processes ready connections without waiting.
    func run() {
        MHD_run(handle)
    }

    /// True if ``run()`` has left connections that are ready.
    var hasMore: Bool {
        var milliseconds: UInt64 = 0
        return MHD_get_timeout(handle, &milliseconds) == .YES && milliseconds == 0
    }

    /// Closes all connections and frees the daemon.
    ///
    /// No connection may be suspended.
    func stop() {
        guard !hasStopped else { return }
        hasStopped = true
        MHD_stop_daemon(handle)
    }
}
