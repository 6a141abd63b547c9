import Foundation

/// Which ordering keys have a request under way, and in which order theirs came.
///
/// Any thread; waiting blocks it.
final class RunningKeys: Sendable {
    private let condition = NSCondition()

    // Guarded by `condition`.
    nonisolated(unsafe) private var orders: [Int: [Int]] = [:]
    nonisolated(unsafe) private var running: Set<Int> = []
    nonisolated(unsafe) private var seen: Set<Int> = []
    nonisolated(unsafe) private var overlapping = 0

    /// A request of a key comes.
    func begin(_ key: Int, _ number: Int) {
        condition.withLock {
            orders[key, default: []].append(number)
            if !running.insert(key).inserted { overlapping += 1 }
            seen.insert(key)
            condition.broadcast()
        }
    }

    /// The request of a key is about to be answered.
    func end(_ key: Int) {
        condition.withLock { _ = running.remove(key) }
    }

    /// Waits until so many keys were seen.
    func waitForAll(_ count: Int) {
        condition.withLock {
            while seen.count < count { condition.wait() }
        }
    }

    /// The numbers of a key's requests, in the order in which they came.
    func order(of key: Int) -> [Int] {
        condition.withLock { orders[key] ?? [] }
    }

    /// How often a request came while one of its key was under way.
    var overlaps: Int {
        condition.withLock { overlapping }
    }
}
