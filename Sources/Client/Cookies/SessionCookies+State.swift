import ErrandLocking

extension SessionCookies {
    /// The state that the lock guards.
    struct State {
        var jar: CookieJar
        var loading: Loading
        /// True if all cookies were removed before the load, which then removes those that it finds.
        var dropsLoaded = false
        /// The calls that wait for the load, by their numbers.
        var loadCalls: [Int: Continuation<Result<Void, CookieStorageError>?>] = [:]
        var lastLoadCall = 0
        var writeBehind = CookieWriteBehind()
        var flushes: [Flush] = []
    }

    /// The state of loading the storage.
    enum Loading {
        /// The next ``SessionCookies/prepare()`` loads it; nothing is written until then.
        case notStarted
        /// The storage is being loaded; a failure leads back to ``notStarted``.
        case running
        /// The jar has the cookies of the storage, or there is no storage.
        case done
    }

    /// The next step of a call that needs the cookies of the storage.
    enum LoadStep: Sendable {
        /// It waits for the load under way.
        case wait
        /// It begins the load and waits for it.
        case load
        /// The cookies are loaded.
        case loaded
        /// Its Swift task is canceled.
        case canceled
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
    /// True if the jar has the cookies of the storage.
    var isLoaded: Bool {
        if case .done = loading { true } else { false }
    }

    /// Returns a number for a call that waits for the load.
    mutating func nextLoadCall() -> Int {
        lastLoadCall += 1
        return lastLoadCall
    }

    /// Adds a call that waits for the load, unless the cookies are loaded.
    mutating func joinLoad(
        _ continuation: Continuation<Result<Void, CookieStorageError>?>, _ call: Int
    ) -> SessionCookies.LoadStep {
        let step: SessionCookies.LoadStep
        switch loading {
        case .done:
            return .loaded
        case .running:
            step = .wait
        case .notStarted:
            loading = .running
            step = .load
        }
        loadCalls[call] = continuation
        return step
    }

    /// Returns the calls that wait for the load, which has ended.
    mutating func takeLoadCalls() -> [Continuation<Result<Void, CookieStorageError>?>] {
        defer { loadCalls = [:] }
        return Array(loadCalls.values)
    }

    /// Records that the load has failed; returns as ``takeLoadCalls()``.
    mutating func loadDidFail() -> [Continuation<Result<Void, CookieStorageError>?>] {
        loading = .notStarted
        return takeLoadCalls()
    }

    /// Records changes of the jar, and returns the batch to write now.
    mutating func note(_ changes: [CookieChange]) -> CookieWriteBehind.Batch? {
        guard !changes.isEmpty else { return nil }
        writeBehind.record(changes)
        guard case .done = loading else { return nil }
        return writeBehind.start()
    }

    /// Removes all cookies, also those that the load has not found yet; returns the changes of the jar.
    mutating func removeAll() -> [CookieChange] {
        dropsLoaded = !isLoaded
        return jar.removeAll()
    }

    /// Adds the cookies of the storage, or removes them if all were removed before; returns the batch to write now.
    mutating func take(_ cookies: [Cookie], now: Int64) -> CookieWriteBehind.Batch? {
        let isDropping = dropsLoaded
        loading = .done
        dropsLoaded = false
        writeBehind.didLoad(cookies.map(\.id))
        if isDropping { writeBehind.record(cookies.map { CookieChange.removed($0.id) }) }
        // Cookies received before the load replace those of the storage there too.
        writeBehind.record(jar.cookies.map { CookieChange.set($0) })
        if !isDropping { writeBehind.record(jar.restore(cookies, now: now)) }
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
