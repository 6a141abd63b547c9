import Synchronization

/// What a server is doing at the moment.
public struct ServerStatistics: Sendable, Hashable {
    /// Open connections.
    public var connections: Int
    /// Requests whose answer is not sent yet, from their request line on, and those whose handler has not ended yet.
    public var exchanges: Int
    /// Requests since the start.
    public var requests: Int
}

/// Counts for ``ServerStatistics``.
///
/// Any thread.
final class ServerCounters: Sendable {
    let connections = Atomic<Int>(0)
    let exchanges = Atomic<Int>(0)
    let requests = Atomic<Int>(0)
    /// Turns of the loop.
    let turns = Atomic<Int>(0)

    var turnCount: Int { turns.load(ordering: .relaxed) }

    var statistics: ServerStatistics {
        ServerStatistics(
            connections: connections.load(ordering: .relaxed), exchanges: exchanges.load(ordering: .relaxed),
            requests: requests.load(ordering: .relaxed))
    }
}
