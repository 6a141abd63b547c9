import ErrandLocking

extension SessionCookies {
    /// The state that the lock guards.
    struct State {
        var jar: CookieJar
        var loading: Loading
        var writeBehind = CookieWriteBehind()
        var flushes: [Flush] = []
    }

    /// The state of loading the storage.
    enum Loading {
        /// The next ``SessionCookies/prepare()`` loads it; nothing is written until then.
        case notStarted
        /// The storage is being loaded; a failure leads back to ``notStarted``.
        case running(Task<Result<Void, CookieStorageError>, Never>)
        /// The jar has the cookies of the storage, or there is no storage.
        case done
    }

    /// A call that waits until the storage has saved all changes recorded before it.
    struct Flush {
        /// The number of the batch for which the call waits.
        let lastBatch: Int
        /// Resumed with the error of the last write, if it failed.
        let continuation: Continuation<CookieStorageError?>
    }
}

extension SessionCookies.State {
    /// Records changes of the jar, and returns the batch to write now.
    mutating func note(_ changes: [CookieChange]) -> CookieWriteBehind.Batch? {
        guard !changes.isEmpty else { return nil }
        writeBehind.record(changes)
        guard case .done = loading else { return nil }
        return writeBehind.start()
    }

    /// Adds the cookies of the storage, and returns the batch to write now.
    mutating func take(_ cookies: [Cookie], now: Int64) -> CookieWriteBehind.Batch? {
        loading = .done
        writeBehind.knows(cookies.map(\.id))
        writeBehind.record(jar.restore(cookies, now: now))
        return writeBehind.start()
    }

    /// Records that a batch was written or has failed; returns the next batch and the calls that need not wait any
    /// longer.
    mutating func finish(
        _ batch: CookieWriteBehind.Batch, succeeded: Bool
    ) -> (next: CookieWriteBehind.Batch?, ended: [SessionCookies.Flush]) {
        let next = writeBehind.finish(succeeded: succeeded)
        // Without a next batch there is nothing to wait for: pending changes wait for the next change.
        let split = flushes.partition { next == nil || $0.lastBatch <= batch.number }
        let ended = Array(flushes[split...])
        flushes.removeSubrange(split...)
        return (next, ended)
    }
}
