import ErrandTransfer

/// The name lookups that go on although the transfers that began them have ended.
///
/// The system's resolver cannot be interrupted. Each of these lookups therefore has a thread and some descriptors until
/// the name server responds, or the resolver gives up. Their number is limited: a client that cancels one request after
/// the other would otherwise leave thousands behind when the name server is silent.
struct AbandonedLookups {
    /// The limits on the number of lookups.
    struct Limits {
        /// The most lookups of one pool, so that the names of one session do not keep others from being looked up.
        var ofPool = 64
        /// The most lookups of all pools, of those whose end is seen.
        var ofAll = 512
    }

    /// The time for which a lookup counts whose end is not seen; longer than the resolver usually waits.
    static let assumedTime = Duration.seconds(60)

    private let limits: Limits
    /// The pools of the lookups whose end is seen, by the number of the lookup.
    private var seen: [Int: PoolID] = [:]
    /// The other lookups, with the time from which they no longer count.
    private var unseen: [(pool: PoolID, end: MonotonicInstant)] = []

    /// Creates the state without any lookups.
    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Adds a lookup of a pool, which counts until ``end(_:)`` is called with the same number.
    mutating func add(_ lookup: Int, of pool: PoolID) {
        seen[lookup] = pool
    }

    /// Removes a lookup that has ended; a no-op for one that was not added.
    mutating func end(_ lookup: Int) {
        seen[lookup] = nil
    }

    /// Adds a lookup of a pool whose end is not seen, and which counts for ``assumedTime``.
    mutating func addUnseen(of pool: PoolID, at now: MonotonicInstant) {
        unseen.append((pool, now.advanced(by: Self.assumedTime)))
    }

    /// Returns the limit that keeps a pool from beginning another lookup; `nil` if it may begin one.
    mutating func reachedLimit(of pool: PoolID, at now: MonotonicInstant) -> Int? {
        unseen.removeAll { $0.end <= now }
        // Of the others it is not known whether they go on, so those of one pool do not count for another.
        guard seen.count < limits.ofAll else { return limits.ofAll }
        let own = seen.values.count { $0 == pool } + unseen.count { $0.pool == pool }
        return own < limits.ofPool ? nil : limits.ofPool
    }
}
