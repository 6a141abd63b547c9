import ErrandEventLoop
import ErrandLocking
public import ErrandTransfer
import Synchronization

/// The transport of one session: transfers over a pool of connections that no other session uses.
///
/// Created by ``CurlEngine/session(_:)``. Dropping the last reference closes its connections, as ``invalidate()`` does.
public final class CurlSession: Transport {
    /// The activity of a session: numbers that are read one by one, each at its own moment.
    public struct Counts: Sendable, Hashable {
        /// The number of transfers that have started and not ended.
        public var runningTransfers: Int
        /// The number of open connections: in use, idle, or a probe's.
        public var openConnections: Int
        /// The number of probes that have started and not ended; see ``CurlSession/connect(to:timeout:)``.
        public var runningProbes: Int
        /// The number of transfers that have started since the session was created.
        public var startedTransfers: Int
        /// The number of ended transfers that reused a connection.
        public var reusedConnections: Int

        /// The number of idle connections; a lower bound with HTTP/2, where one connection carries many transfers.
        public var idleConnections: Int { max(0, openConnections - runningTransfers - runningProbes) }
    }

    private let pool: PoolID
    private let commands: Mailbox<Command>
    private let counters = SessionCounters()

    init(pool: PoolID, options: ConnectionOptions, commands: Mailbox<Command>) {
        self.pool = pool
        self.commands = commands
        // Refused only after the engine was shut down; every transfer is then refused as well.
        commands.post(.open(pool, options, counters))
    }

    deinit {
        commands.post(.close(pool, done: nil))
    }

    /// Runs one transfer to its end; see ``Transport/perform(_:receiver:)``.
    public func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome {
        let transfer = CurlTransfer(pool: pool, request: request, receiver: receiver, commands: commands)
        return await run(transfer, by: .start(transfer))
    }

    /// Checks whether a connection can be made; see ``Transport/connect(to:timeout:)``.
    ///
    /// Uses the session's fixed addresses, proxy and interface. The connection is separate and not counted in
    /// ``ConnectionOptions/maxConnectionsPerHost``: a probe neither waits for transfers nor takes a connection from
    /// them. With an HTTP proxy it opens a tunnel (RFC 9110 §9.3.6).
    ///
    /// - Parameters:
    ///   - url: The URL with the host and port to connect to; its other parts are ignored.
    ///   - timeout: The limit for name resolution, connecting and the proxy's response.
    /// - Returns: The error: `cannot_find_host`, `cannot_connect`, `not_connected`, `egress_denied`, `timed_out`,
    ///   `authentication_failed` (by the proxy), a certificate error of a proxy over TLS, `canceled` or
    ///   `session_closed`; `nil` if the connection was made, which is then closed.
    public func connect(to url: HTTPURL, timeout: Duration) async -> TransferError? {
        let request: TransferRequest
        do {
            // The scheme is irrelevant: a probe does not start TLS.
            request = TransferRequest(
                url: try HTTPURL("http://\(url.host):\(url.port)/"), timeouts: TransferTimeouts(connect: timeout))
        } catch {
            return TransferError(.badURL, "The URL is malformed")
        }
        let probe = CurlTransfer(pool: pool.ofProbes, request: request, receiver: nil, commands: commands)
        return await run(probe, by: .probe(probe, of: pool)).error
    }

    private func run(_ transfer: CurlTransfer, by start: Command) async -> TransferOutcome {
        await withTaskCancellationHandler {
            await withContinuation { continuation in
                transfer.continuation = continuation
                if !commands.post(start) {
                    transfer.continuation = nil
                    continuation.resume(returning: TransferOutcome(error: .sessionClosed))
                }
            }
        } onCancel: {
            transfer.cancel()
        }
    }

    /// Ends all transfers of the session with `session_closed` and closes its connections.
    ///
    /// Later transfers end immediately with the same error. Returns when everything is closed.
    public func invalidate() async {
        await withContinuation { continuation in
            if !commands.post(.close(pool, done: continuation)) { continuation.resume() }
        }
    }

    /// Stops sending further requests; see ``Transport/retire()``.
    public func retire() {
        commands.post(.retire(pool))
    }

    /// The current activity of the session.
    public var counts: Counts { counters.counts }
}

extension TransferError {
    /// The error of a transfer whose session or engine has been closed.
    static let sessionClosed = TransferError(.sessionClosed, "The session is closed")
    /// The error of a transfer whose session was replaced by one with new settings.
    static let sessionRetired = TransferError(.sessionClosed, "The session was replaced")
}
