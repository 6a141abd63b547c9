import ErrandLocking
package import ErrandTransfer

/// The cookies of a session, shared by its tasks: a ``CookieJar`` behind a lock, and its ``CookieStorage``.
///
/// Reading and storing cookies never wait for the storage, so transfers never do. Changes are written behind, by one
/// task at a time; changes that come during a write form the next batch. Changes that could not be written are
/// reported, kept, and retried with the next change.
///
/// ```swift
/// let cookies = SessionCookies(storage: storage, now: { clock.seconds }, onFailure: { logger.error("\($0)") })
/// try await cookies.prepare()
/// if let value = cookies.header(for: url) { request.headers.append(HTTPField(name: .cookie, value: value)) }
/// cookies.store(response.headers[values: .setCookie], from: url)
/// try await cookies.flush()
/// ```
///
/// All methods may be called from any thread.
package final class SessionCookies: Sendable {
    private let state: Mutex<State>
    private let storage: (any CookieStorage)?
    private let now: @Sendable () -> Int64
    private let onFailure: @Sendable (CookieStorageError) -> Void

    /// Creates cookies that live as long as this object.
    ///
    /// - Parameters:
    ///   - limits: The limits on the number of cookies.
    ///   - now: Returns the time, in seconds since 1970-01-01 UTC.
    package init(limits: CookieLimits = CookieLimits(), now: @escaping @Sendable () -> Int64) {
        state = Mutex(State(jar: CookieJar(limits: limits), loading: .done))
        storage = nil
        self.now = now
        onFailure = { _ in }
    }

    /// Creates cookies that are kept in a storage.
    ///
    /// Only cookies with an expiry date are stored: a session cookie ends with this object (RFC 6265 §5.3).
    ///
    /// - Parameters:
    ///   - storage: The storage; no other object may use it at the same time.
    ///   - limits: The limits on the number of cookies.
    ///   - now: Returns the time, in seconds since 1970-01-01 UTC.
    ///   - onFailure: Called for each batch of changes that could not be written, from any thread.
    package init(
        storage: any CookieStorage, limits: CookieLimits = CookieLimits(), now: @escaping @Sendable () -> Int64,
        onFailure: @escaping @Sendable (CookieStorageError) -> Void
    ) {
        state = Mutex(State(jar: CookieJar(limits: limits), loading: .notStarted))
        self.storage = storage
        self.now = now
        self.onFailure = onFailure
    }
}

// MARK: - Cookies of requests and responses

extension SessionCookies {
    /// Returns the value of the `Cookie` field of a request; `nil` if no cookie applies.
    package func header(for url: HTTPURL) -> String? {
        let now = now()
        return update { jar in (jar.header(for: url, now: now), jar.removeExpired(now: now)) }
    }

    /// Stores and deletes cookies as the `Set-Cookie` fields of a response direct.
    ///
    /// - Parameters:
    ///   - fields: The values of the fields, in order.
    ///   - url: The URL of the request. A redirect's cookies belong to the URL that redirected.
    package func store(_ fields: [String], from url: HTTPURL) {
        guard !fields.isEmpty else { return }
        let now = now()
        update { jar in ((), jar.store(fields, from: url, now: now)) }
    }

    /// Sets a cookie of the program, or removes the one with its identity if it has expired.
    ///
    /// - Returns: False if the rules refuse the cookie (``CookieJar/set(_:now:)``), or if there is no room for it.
    package func set(_ cookie: Cookie) -> Bool {
        let now = now()
        return update { jar in
            guard let changes = jar.set(cookie, now: now) else { return (false, []) }
            // A cookie without room has been evicted at once.
            return (cookie.isExpired(at: now) || jar.contains(cookie.id), changes)
        }
    }

    /// The cookies that have not expired, in the order of their creation.
    package var cookies: [Cookie] {
        let now = now()
        return update { jar in
            let changes = jar.removeExpired(now: now)
            return (jar.cookies, changes)
        }
    }

    /// Deletes all cookies, also in the storage.
    ///
    /// Cookies are no longer sent once the call begins; it returns when the storage has deleted them too.
    ///
    /// - Throws: An error if the storage could not be read or written. The deletion is retried with the next load or
    ///   change.
    package func removeAll() async throws(CookieStorageError) {
        let batch = state.withLock { state -> CookieWriteBehind.Batch? in
            let changes = state.removeAll()
            return storage == nil ? nil : state.note(changes)
        }
        write(batch)
        try await prepare()
        try await flush()
    }
}

// MARK: - Storage

extension SessionCookies {
    /// Loads the cookies from the storage; does nothing if that has been done, or if there is no storage.
    ///
    /// Await it before the first request. Concurrent calls share one load; after a failure the next call loads again. A
    /// cookie that was received before takes precedence over a loaded one, and nothing is written until then.
    ///
    /// - Throws: An error if the storage could not be read.
    package func prepare() async throws(CookieStorageError) {
        guard mustLoad else { return }
        let call = state.withLock { $0.nextLoadCall() }
        let result = await withContinuation { joinLoad($0, call, unlessCanceled: false) }
        try result?.get()
    }

    /// Loads the cookies as ``prepare()`` does, but waits only until the calling Swift task is canceled.
    ///
    /// The load goes on for other calls.
    ///
    /// - Returns: The result of the load; `nil` if the task was canceled before.
    package func prepareUnlessCanceled() async -> Result<Void, CookieStorageError>? {
        guard mustLoad else { return .success(()) }
        let call = state.withLock { $0.nextLoadCall() }
        return await withTaskCancellationHandler {
            await withContinuation { joinLoad($0, call, unlessCanceled: true) }
        } onCancel: {
            state.withLock { $0.loadCalls.removeValue(forKey: call) }?.resume(returning: nil)
        }
    }

    /// True until the cookies are loaded from the storage; false without one.
    package var mustLoad: Bool {
        storage != nil && state.withLock { !$0.isLoaded }
    }

    /// Waits until the storage has saved all changes recorded before the call.
    ///
    /// Changes left by an earlier failure are retried.
    ///
    /// - Throws: An error if the storage could not be read or written; the changes are kept for the next try.
    package func flush() async throws(CookieStorageError) {
        guard state.withLock({ $0.writeBehind.lastNeeded != nil }) else { return }
        try await prepare()
        let failure = await withContinuation { continuation in
            let (isDone, batch) = state.withLock { state -> (Bool, CookieWriteBehind.Batch?) in
                guard let lastBatch = state.writeBehind.lastNeeded else { return (true, nil) }
                state.flushes.append(Flush(lastBatch: lastBatch, continuation: continuation))
                return (false, state.writeBehind.start())
            }
            if isDone { continuation.resume(returning: CookieStorageError?.none) }
            write(batch)
        }
        if let failure { throw failure }
    }

    /// Changes the jar, and begins to write the changes to the storage.
    private func update<Answer: Sendable>(_ change: (inout CookieJar) -> (Answer, [CookieChange])) -> Answer {
        let (answer, batch) = state.withLock { state -> (Answer, CookieWriteBehind.Batch?) in
            let (answer, changes) = change(&state.jar)
            return (answer, storage == nil ? nil : state.note(changes))
        }
        write(batch)
        return answer
    }

    /// Lets a call wait for the load, which the first call begins.
    ///
    /// - Parameter unlessCanceled: True for a call that does not wait if its Swift task is canceled.
    private func joinLoad(
        _ continuation: Continuation<Result<Void, CookieStorageError>?>, _ call: Int, unlessCanceled: Bool
    ) {
        guard let storage else { return continuation.resume(returning: .success(())) }
        // A cancellation before this critical section is seen in it; a later one finds the call.
        let step = state.withLock { state -> LoadStep in
            unlessCanceled && Task.isCancelled ? .canceled : state.joinLoad(continuation, call)
        }
        switch step {
        case .wait: break
        case .load: Task { await load(from: storage) }
        case .loaded: continuation.resume(returning: .success(()))
        case .canceled: continuation.resume(returning: nil)
        }
    }

    private func load(from storage: any CookieStorage) async {
        do {
            let cookies = try await storage.load()
            let now = now()
            let (batch, calls) = state.withLock { ($0.take(cookies, now: now), $0.takeLoadCalls()) }
            write(batch)
            for call in calls { call.resume(returning: .success(())) }
        } catch {
            for call in state.withLock({ $0.loadDidFail() }) { call.resume(returning: .failure(error)) }
        }
    }

    /// Writes a batch, and then those recorded meanwhile, in a separate task.
    private func write(_ batch: CookieWriteBehind.Batch?) {
        guard let storage, let batch else { return }
        Task {
            var next: CookieWriteBehind.Batch? = batch
            while let batch = next {
                next = await write(batch, to: storage)
            }
        }
    }

    /// Writes one batch and returns the next.
    private func write(
        _ batch: CookieWriteBehind.Batch, to storage: any CookieStorage
    ) async -> CookieWriteBehind.Batch? {
        let failure: CookieStorageError?
        do {
            try await storage.save(batch.changes)
            failure = nil
        } catch {
            failure = error
            onFailure(error)
        }
        let (next, ended) = state.withLock { $0.finish(batch, succeeded: failure == nil) }
        for flush in ended {
            flush.continuation.resume(returning: failure)
        }
        return next
    }
}
