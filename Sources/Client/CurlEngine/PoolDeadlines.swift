import ErrandTransfer

/// A queue of deadlines of connection pools, at most one of each.
///
/// A program may create sessions as long as it runs, and their numbers are never given again: a number is not a key of
/// a ``DeadlineQueue``, whose memory grows with the largest one. Here pools have keys only while they have a deadline.
struct PoolDeadlines {
    private var queue = DeadlineQueue()
    /// The keys of the pools with a deadline.
    private var keys: [PoolID: Int] = [:]
    /// The pools by key; `nil` for a free key.
    private var pools: [PoolID?] = []
    private var freeKeys: [Int] = []

    /// The earliest deadline; `nil` without any.
    var earliest: MonotonicInstant? { queue.earliest }

    /// The number of keys that were ever in use at the same time.
    var keyCount: Int { pools.count }

    /// Sets, replaces or, with `nil`, removes the deadline of a pool.
    mutating func set(_ deadline: MonotonicInstant?, for pool: PoolID) {
        if let key = keys[pool] {
            queue.set(deadline, for: key)
            if deadline == nil { release(key, of: pool) }
        } else if let deadline {
            queue.set(deadline, for: makeKey(for: pool))
        }
    }

    /// Removes the earliest deadline if it is due.
    ///
    /// - Returns: Its pool.
    mutating func popDue(at now: MonotonicInstant) -> PoolID? {
        guard let key = queue.popDue(at: now), let pool = pools[key] else { return nil }
        release(key, of: pool)
        return pool
    }

    private mutating func makeKey(for pool: PoolID) -> Int {
        let key: Int
        if let free = freeKeys.popLast() {
            key = free
            pools[key] = pool
        } else {
            key = pools.count
            pools.append(pool)
        }
        keys[pool] = key
        return key
    }

    private mutating func release(_ key: Int, of pool: PoolID) {
        keys[pool] = nil
        pools[key] = nil
        freeKeys.append(key)
    }
}
