import Synchronization
public import Transfer

/// Transfers over one pool of connections, which nobody else uses: the transport of one session.
///
/// ``CurlEngine/session(_:)`` makes it. Dropping the last reference closes its connections, as ``invalidate()`` does.
public final class CurlSession: Transport {
    /// What a session has going on: numbers of one moment, each read by itself.
    public struct Counts: Sendable, Hashable {
        /// Transfers that have started and not ended.
        public var runningTransfers: Int
        /// Connections that are open: in use, idle, or a probe's.
        public var openConnections: Int
        /// Probes that have started and not ended: see ``CurlSession/connect(to:timeout:)``.
        public var runningProbes: Int
        /// Transfers that have started since the session was made.
        public var startedTransfers: Int
        /// Of the transfers that have ended, those that found a connection.
        public var reusedConnections: Int

        /// Connections without a transfer or probe; with HTTP/2, where a connection carries many, a lower bound.
        public var idleConnections: Int { max(0, openConnections - runningTransfers - runningProbes) }
    }

    private let pool: PoolID
    private let commands: CommandQueue
    private let counters = SessionCounters()

    init(pool: PoolID, options: ConnectionOptions, commands: CommandQueue) {
        self.pool = pool
        self.commands = commands
        // Refused after the end of the engine only, as every transfer then is.
        commands.append(.open(pool, options, counters))
    }

    deinit {
        commands.append(.close(pool, done: nil))
    }

    /// Runs one transfer to its end; see ``Transport/perform(_:receiver:)``.
    public func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome {
        let transfer = CurlTransfer(pool: pool, request: request, receiver: receiver, commands: commands)
        return await run(transfer, by: .start(transfer))
    }

    /// Finds out whether a connection can be made; see ``Transport/connect(to:timeout:)``.
    ///
    /// Fixed addresses, the proxy and the interface are those of the session. The connection is one of its own, beyond
    /// ``ConnectionOptions/maxConnectionsPerHost``: a probe neither waits for transfers nor takes a connection from
    /// them. An HTTP proxy is asked for a tunnel (RFC 9110 §9.3.6).
    ///
    /// - Parameters:
    ///   - url: Whose host and port are dialled; nothing else of it is used.
    ///   - timeout: The limit over name lookup, connection and the proxy's part.
    /// - Returns: Why there is no connection: `cannot_find_host`, `cannot_connect`, `egress_denied`, `timed_out`,
    ///   `authentication_failed` (the proxy's), what is wrong with the certificate of a proxy over TLS, `canceled` or
    ///   `session_closed`. `nil` when there was one; it is closed.
    public func connect(to url: HTTPURL, timeout: Duration) async -> TransferError? {
        let request: TransferRequest
        do {
            // Whatever the scheme: TLS is not begun.
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
            await withCheckedContinuation { continuation in
                transfer.continuation = continuation
                if !commands.append(start) {
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
    /// Later ones end so at once.
    ///
    /// - Returns: When that is done.
    public func invalidate() async {
        await withCheckedContinuation { continuation in
            if !commands.append(.close(pool, done: continuation)) { continuation.resume() }
        }
    }

    /// Sends no further request; see ``Transport/retire()``.
    public func retire() {
        commands.append(.retire(pool))
    }

    /// What the session has going on.
    public var counts: Counts { counters.counts }
}

extension TransferError {
    /// The session or the engine has ended.
    static let sessionClosed = TransferError(.sessionClosed, "The session is closed")
    /// What the session was made with is not in force any more.
    static let sessionRetired = TransferError(.sessionClosed, "The session was replaced")
}
