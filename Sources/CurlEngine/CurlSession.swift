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
        /// Connections that are open, in use or idle.
        public var openConnections: Int
        /// Transfers that have started since the session was made.
        public var startedTransfers: Int
        /// Of the transfers that have ended, those that found a connection.
        public var reusedConnections: Int

        /// Connections without a transfer; with HTTP/2, where a connection carries many, a lower bound.
        public var idleConnections: Int { max(0, openConnections - runningTransfers) }
    }

    private let id: SessionID
    private let commands: CommandQueue
    private let counters = SessionCounters()

    init(id: SessionID, options: ConnectionOptions, commands: CommandQueue) {
        self.id = id
        self.commands = commands
        // Refused after the end of the engine only, as every transfer then is.
        commands.append(.open(id, options, counters))
    }

    deinit {
        commands.append(.close(id, done: nil))
    }

    /// Runs one transfer to its end; see ``Transport/perform(_:receiver:)``.
    public func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome {
        let transfer = CurlTransfer(session: id, request: request, receiver: receiver, commands: commands)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transfer.continuation = continuation
                if !commands.append(.start(transfer)) {
                    transfer.continuation = nil
                    continuation.resume(returning: TransferOutcome(error: .sessionClosed))
                }
            }
        } onCancel: {
            commands.append(.cancel(transfer))
        }
    }

    /// Ends all transfers of the session with `session_closed` and closes its connections.
    ///
    /// Later ones end so at once.
    ///
    /// - Returns: When that is done.
    public func invalidate() async {
        await withCheckedContinuation { continuation in
            if !commands.append(.close(id, done: continuation)) { continuation.resume() }
        }
    }

    /// What the session has going on.
    public var counts: Counts { counters.counts }
}

/// The number of a session in its engine.
struct SessionID: Hashable, Sendable {
    let number: Int
}

extension TransferError {
    /// The session or the engine has ended.
    static let sessionClosed = TransferError(.sessionClosed, "The session is closed")
}
