extension SessionCookies {
    /// What the lock guards.
    struct State {
        var jar: CookieJar
        var loading: Loading
        var writeBehind = CookieWriteBehind()
        var flushes: [Flush] = []
    }

    /// Whether the storage has been read.
    enum Loading {
        /// It will be by the next ``SessionCookies/prepare()``; nothing is written until then.
        case notStarted
        /// It is being read; a failure leads back to ``notStarted``.
        case running(Task<Result<Void, CookieStorageError>, Never>)
        /// The jar has what it holds, or there is none.
        case done
    }

    /// Somebody who waits until the storage knows what they know.
    struct Flush {
        /// The batch after which it does.
        let lastBatch: Int
        /// Resumed with why the last write failed, if it did.
        let continuation: CheckedContinuation<CookieStorageError?, Never>
    }
}

extension SessionCookies.State {
    /// Records changes of the jar; what to write now is returned.
    mutating func note(_ changes: [CookieChange]) -> CookieWriteBehind.Batch? {
        guard !changes.isEmpty else { return nil }
        writeBehind.record(changes)
        guard case .done = loading else { return nil }
        return writeBehind.start()
    }

    /// The storage has been read; what to write now is returned.
    mutating func take(_ cookies: [Cookie], now: Int64) -> CookieWriteBehind.Batch? {
        loading = .done
        writeBehind.knows(cookies.map(\.id))
        writeBehind.record(jar.restore(cookies, now: now))
        return writeBehind.start()
    }

    /// A batch has been written, or not; what to write next is returned, and who need not wait any more.
    mutating func finish(
        _ batch: CookieWriteBehind.Batch, succeeded: Bool
    ) -> (next: CookieWriteBehind.Batch?, ended: [SessionCookies.Flush]) {
        let next = writeBehind.finish(succeeded: succeeded)
        // Without a next batch there is nothing to wait for: what is pending, if anything, waits for a change.
        let split = flushes.partition { next == nil || $0.lastBatch <= batch.number }
        let ended = Array(flushes[split...])
        flushes.removeSubrange(split...)
        return (next, ended)
    }
}
