import ErrandLocking
import ErrandTransfer

/// A request to the engine's loop.
enum Command: Sendable {
    /// Creates the pool of a session.
    case open(PoolID, ConnectionOptions, SessionCounters)
    /// Ends a session's transfers and drops its pool.
    case close(PoolID, done: Continuation<Void>?)
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
