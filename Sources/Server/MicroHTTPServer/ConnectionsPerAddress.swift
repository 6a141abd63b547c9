/// The numbers of open connections of the client addresses, over all listeners.
///
/// libmicrohttpd counts those of one listener only.
struct ConnectionsPerAddress {
    private let limit: Int
    private var counts: [String: Int] = [:]

    /// Creates counters.
    ///
    /// - Parameter limit: The most connections of one address.
    init(limit: Int) {
        self.limit = limit
    }

    /// Returns true if a client may have another connection.
    ///
    /// - Parameter address: The address as text; empty for a client of a Unix socket, which has no limit.
    func hasRoom(for address: String) -> Bool {
        address.isEmpty || counts[address, default: 0] < limit
    }

    /// Counts a new connection.
    mutating func connectionBegan(from address: String) {
        guard !address.isEmpty else { return }
        counts[address, default: 0] += 1
    }

    /// Counts the end of a connection.
    mutating func connectionEnded(from address: String) {
        guard let count = counts[address] else { return }
        counts[address] = count > 1 ? count - 1 : nil
    }
}
