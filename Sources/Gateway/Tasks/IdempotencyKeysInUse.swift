import Locking

/// The keys whose first request is being answered: a second one must neither make a task nor be told of one that may
/// not come to be.
///
/// Any thread.
final class IdempotencyKeysInUse: Sendable {
    /// A key of somebody.
    struct Owned: Sendable, Hashable {
        /// The name of his token; `nil` without one.
        var owner: String?
        /// The key.
        var key: IdempotencyKey
    }

    private let keys = Mutex<Set<Owned>>([])

    /// Takes those of some keys that nobody has.
    ///
    /// - Returns: The keys that were taken, to be given back by ``release(_:)``.
    func take(_ wanted: Set<Owned>) -> Set<Owned> {
        keys.withLock { keys in
            let free = wanted.subtracting(keys)
            keys.formUnion(free)
            return free
        }
    }

    /// Gives keys back.
    func release(_ taken: Set<Owned>) {
        keys.withLock { $0.subtract(taken) }
    }
}
