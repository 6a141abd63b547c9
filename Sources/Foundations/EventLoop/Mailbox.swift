import ErrandEventLoop
import ErrandLocking
import ErrandTransfer

/// A queue of commands that other threads send to the engine's loop, in order of arrival.
final class CommandQueue: Sendable {
    private struct State {
        var commands: [Command] = []
        var isClosed = false
    }

    private let loop: EventLoop
    private let state = Mutex(State())

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Adds a command; the loop takes it in its next turn.
    ///
    /// May be called on any thread.
    ///
    /// - Returns: `false` if the engine has been shut down. The command is then dropped.
    @discardableResult
    func append(_ command: Command) -> Bool {
        let (isTaken, isFirst) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.commands.append(command)
            return (true, state.commands.count == 1)
        }
        // Only the first command of a batch has to wake the loop: the loop takes all commands at once.
        if isFirst { loop.wake() }
        return isTaken
    }

    /// Moves all commands into `commands`, which must be empty; its storage is reused for the queue.
    func take(into commands: inout [Command]) {
        state.withLock { swap(&$0.commands, &commands) }
    }

    /// Closes the queue, which then refuses further commands.
    ///
    /// - Returns: The commands that the loop had not taken yet.
    func close() -> [Command] {
        state.withLock { state in
            state.isClosed = true
            defer { state.commands = [] }
            return state.commands
        }
    }
}

/// A request to the engine's loop.
enum Command: Sendable {
    /// Creates the pool of a session.
    case open(PoolID, ConnectionOptions, SessionCounters)
    /// Ends a session's transfers and drops its pool.
    case close(PoolID, done: CheckedContinuation<Void, Never>?)
    /// Prevents a session from sending further requests.
    case retire(PoolID)
    /// Closes the idle connections of all sessions.
    case closeIdleConnections
    case start(CurlTransfer)
    /// Opens a connection for a session without sending anything over it.
    case probe(CurlTransfer, of: PoolID)
    case cancel(CurlTransfer)
    case resumeReceiving(CurlTransfer)
    case resumeSending(CurlTransfer)
    case suspend(CurlTransfer)
    case resume(CurlTransfer)
}
