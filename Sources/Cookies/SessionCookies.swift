import Locking
public import Transfer

/// The cookies of a session, shared by its tasks: a ``CookieJar`` behind a lock, a ``CookieStorage`` behind the jar.
///
/// Asking and storing never wait for the storage, so a transfer never does. What changes is written behind: by one task
/// at a time, everything that came while it wrote together in the next batch. What could not be written is reported,
/// kept, and tried again with the next change.
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
public final class SessionCookies: Sendable {
    private let state: Mutex<State>
    private let storage: (any CookieStorage)?
    private let now: @Sendable () -> Int64
    private let onFailure: @Sendable (CookieStorageError) -> Void

    /// Creates cookies that end with this object.
    ///
    /// - Parameters:
    ///   - limits: How many cookies are kept.
    ///   - now: The time, in seconds since 1970-01-01 UTC.
    public init(limits: CookieLimits = CookieLimits(), now: @escaping @Sendable () -> Int64) {
        state = Mutex(State(jar: CookieJar(limits: limits), loading: .done))
        storage = nil
        self.now = now
        onFailure = { _ in }
    }

    /// Creates cookies that are kept in a storage.
    ///
    /// Only those with an expiry date are: a session cookie ends with this object (RFC 6265 §5.3).
    ///
    /// - Parameters:
    ///   - storage: Where they are kept; no other object may use it meanwhile.
    ///   - limits: How many cookies are kept.
    ///   - now: The time, in seconds since 1970-01-01 UTC.
    ///   - onFailure: Called each time that a batch of changes could not be written, from no particular thread.
    public init(
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
    /// The value of the `Cookie` field of a request; `nil` when no cookie is for it.
    public func header(for url: HTTPURL) -> String? {
        let now = now()
        return update { jar in (jar.header(for: url, now: now), jar.removeExpired(now: now)) }
    }

    /// Keeps what the `Set-Cookie` fields of a response set, and forgets what they delete.
    ///
    /// - Parameters:
    ///   - fields: Their values, in order.
    ///   - url: What was asked for. A redirect's cookies belong to the URL that redirected.
    public func store(_ fields: [String], from url: HTTPURL) {
        guard !fields.isEmpty else { return }
        let now = now()
        update { jar in ((), jar.store(fields, from: url, now: now)) }
    }

    /// The cookies as they are now, in the order in which they were made; those that have expired are not among them.
    public var cookies: [Cookie] {
        let now = now()
        return update { jar in
            let changes = jar.removeExpired(now: now)
            return (jar.cookies, changes)
        }
    }

    /// Forgets all cookies, also in the storage.
    ///
    /// They are not sent any more from the call on; it returns when the storage has forgotten them too.
    ///
    /// - Throws: Why the storage could not be read or written. It will be tried again with the next change.
    public func removeAll() async throws(CookieStorageError) {
        update { jar in ((), jar.removeAll()) }
        // What the storage holds is not known before.
        try await prepare()
        update { jar in ((), jar.removeAll()) }
        try await flush()
    }
}

// MARK: - Storage

extension SessionCookies {
    /// Loads the cookies from the storage; does nothing when that has been done, or there is none.
    ///
    /// To be awaited before the first request. Calls at the same time share one reading; after a failure the next call
    /// reads again. A cookie that was received before stands against what is loaded, and nothing is written until then.
    ///
    /// - Throws: Why the storage could not be read.
    public func prepare() async throws(CookieStorageError) {
        guard let storage else { return }
        let running = state.withLock { state -> Task<Result<Void, CookieStorageError>, Never>? in
            switch state.loading {
            case .done:
                return nil
            case .running(let task):
                return task
            case .notStarted:
                let task = Task { await self.load(from: storage) }
                state.loading = .running(task)
                return task
            }
        }
        try await running?.value.get()
    }

    /// Waits until the storage knows everything that is known at the call.
    ///
    /// Changes that an earlier failure has left are tried again.
    ///
    /// - Throws: Why the storage could not be read or written; the changes are kept for the next try.
    public func flush() async throws(CookieStorageError) {
        guard state.withLock({ $0.writeBehind.lastNeeded != nil }) else { return }
        try await prepare()
        let failure = await withCheckedContinuation { continuation in
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

    /// Changes the jar, and begins to tell the storage.
    private func update<Answer: Sendable>(_ change: (inout CookieJar) -> (Answer, [CookieChange])) -> Answer {
        let (answer, batch) = state.withLock { state -> (Answer, CookieWriteBehind.Batch?) in
            let (answer, changes) = change(&state.jar)
            return (answer, storage == nil ? nil : state.note(changes))
        }
        write(batch)
        return answer
    }

    private func load(from storage: any CookieStorage) async -> Result<Void, CookieStorageError> {
        do {
            let cookies = try await storage.load()
            let now = now()
            let batch = state.withLock { $0.take(cookies, now: now) }
            write(batch)
            return .success(())
        } catch {
            state.withLock { $0.loading = .notStarted }
            return .failure(error)
        }
    }

    /// Writes a batch, and what comes meanwhile, in a task of its own.
    private func write(_ batch: CookieWriteBehind.Batch?) {
        guard let storage, let batch else { return }
        Task {
            var next: CookieWriteBehind.Batch? = batch
            while let batch = next {
                next = await write(batch, to: storage)
            }
        }
    }

    /// Writes one batch; what to write after it is returned.
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
