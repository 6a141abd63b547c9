import EventLoop
import Locking
import Transfer

/// What other threads want from the engine's loop, in the order it came.
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
    /// Any thread.
    ///
    /// - Returns: `false` when the engine has been shut down, and the command will never be taken.
    @discardableResult
    func append(_ command: Command) -> Bool {
        let (isTaken, isFirst) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.commands.append(command)
            return (true, state.commands.count == 1)
        }
        // Who came first has woken the loop for all that come before it takes them.
        if isFirst { loop.wake() }
        return isTaken
    }

    /// Moves all commands into `commands`, which must be empty and gives its memory in exchange.
    func take(into commands: inout [Command]) {
        state.withLock { swap(&$0.commands, &commands) }
    }

    /// Takes no more commands.
    ///
    /// - Returns: Those that were not taken yet.
    func close() -> [Command] {
        state.withLock { state in
            state.isClosed = true
            defer { state.commands = [] }
            return state.commands
        }
    }
}

/// A wish to the engine's loop.
enum Command: Sendable {
    /// Make the pool of a session.
    case open(PoolID, ConnectionOptions, SessionCounters)
    /// End a session's transfers and drop its pool.
    case close(PoolID, done: CheckedContinuation<Void, Never>?)
    /// Let a session send no further request.
    case retire(PoolID)
    case start(CurlTransfer)
    /// Make a connection for a session that nothing is sent over.
    case probe(CurlTransfer, of: PoolID)
    case cancel(CurlTransfer)
    case resumeReceiving(CurlTransfer)
    case resumeSending(CurlTransfer)
    case suspend(CurlTransfer)
    case resume(CurlTransfer)
}
