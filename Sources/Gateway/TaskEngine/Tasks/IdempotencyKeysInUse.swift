import ErrandLocking

/// The keys whose first request is still being processed.
///
/// A second request with the key must neither create a task nor be told of a task that may not be created. Any thread.
package final class IdempotencyKeysInUse: Sendable {
    /// A key with its owner.
    struct Owned: Sendable, Hashable {
        /// The name of the owner's token; `nil` without one.
        var owner: String?
        /// The key.
        var key: IdempotencyKey
    }

    private let keys = Mutex<Set<Owned>>([])

    /// Creates an empty set.
    package init() {}

    /// Takes those of the keys that are not in use.
    ///
    /// - Returns: The keys that were taken, to be released by ``release(_:)``.
    func take(_ wanted: Set<Owned>) -> Set<Owned> {
        keys.withLock { keys in
            let free = wanted.subtracting(keys)
            keys.formUnion(free)
            return free
        }
    }

    /// Releases keys.
    func release(_ taken: Set<Owned>) {
        keys.withLock { $0.subtract(taken) }
    }
}
