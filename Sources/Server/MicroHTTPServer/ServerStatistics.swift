import Synchronization

/// The current activity of a server.
public struct ServerStatistics: Sendable, Hashable {
    /// The number of open connections.
    public var connections: Int
    /// The number of active requests, from the request line until the response is sent and the handler has ended.
    public var exchanges: Int
    /// The number of requests since the start.
    public var requests: Int

    /// Creates statistics from their numbers, for tests of code that is given some.
    public init(connections: Int, exchanges: Int, requests: Int) {
        self.connections = connections
        self.exchanges = exchanges
        self.requests = requests
    }
}

/// Counters for ``ServerStatistics``.
///
/// Thread-safe.
final class ServerCounters: Sendable {
    let connections = Atomic<Int>(0)
    let exchanges = Atomic<Int>(0)
    let requests = Atomic<Int>(0)
    /// The number of turns of the loop.
    let turns = Atomic<Int>(0)
    /// A closure that is called after each end of a connection or a request, on any thread; for tests.
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
    }

    /// Counts the end of a connection.
    func connectionEnded() {
        connections.wrappingSubtract(1, ordering: .relaxed)
        onEnd()
    }

    /// Counts the end of a request.
    func exchangeEnded() {
        exchanges.wrappingSubtract(1, ordering: .relaxed)
        onEnd()
    }

    var turnCount: Int { turns.load(ordering: .relaxed) }

    var statistics: ServerStatistics {
        ServerStatistics(
            connections: connections.load(ordering: .relaxed), exchanges: exchanges.load(ordering: .relaxed),
            requests: requests.load(ordering: .relaxed))
    }
}
