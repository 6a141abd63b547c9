import Foundation

/// The ordering keys with a running request, and the order of the requests of each.
///
/// Any thread; waiting blocks it.
final class RunningKeys: Sendable {
    private let condition = NSCondition()

    // Guarded by `condition`.
    nonisolated(unsafe) private var orders: [Int: [Int]] = [:]
    nonisolated(unsafe) private var running: Set<Int> = []
    nonisolated(unsafe) private var seen: Set<Int> = []
    nonisolated(unsafe) private var overlapping = 0

    /// Notes the arrival of a request with a key.
    func begin(_ key: Int, _ number: Int) {
        condition.withLock {
            orders[key, default: []].append(number)
            if !running.insert(key).inserted { overlapping += 1 }
            seen.insert(key)
            condition.broadcast()
        }
    }

    /// Notes that the request of a key is about to be answered.
    func end(_ key: Int) {
        condition.withLock { _ = running.remove(key) }
    }

    /// Waits until this number of keys was seen.
    func waitForAll(_ count: Int) {
        condition.withLock {
            while seen.count < count { condition.wait() }
        }
    }

    /// Returns the numbers of a key's requests in the order of arrival.
    func order(of key: Int) -> [Int] {
        condition.withLock { orders[key] ?? [] }
    }

    /// The number of requests that arrived while another of the same key was running.
    var overlaps: Int {
        condition.withLock { overlapping }
    }
}
