/// The changes that a jar's storage has not saved yet, and the state of writing them: a state machine without I/O.
///
/// | state | ends with |
/// | --- | --- |
/// | idle | ``start()`` → writing, if changes are pending |
/// | writing | ``finish(succeeded:)`` → writing, if more changes came meanwhile; else idle |
///
/// Of several changes to a cookie only the last is kept. A cookie that the storage does not hold needs no removal. So
/// the pending changes stay bounded by the contents of the jar and the storage, however long the storage fails.
struct CookieWriteBehind {
    /// Changes that are written together.
    struct Batch: Equatable {
        /// The number of the batch, counted from 1.
        let number: Int
        /// At most one change for each cookie: removals first, then cookies in the order of their creation.
        let changes: [CookieChange]
    }

    private var stored: Set<Cookie.ID> = []
    private var pending: [Cookie.ID: CookieChange] = [:]
    private var writing: Batch?
    private var lastNumber = 0

    /// The number of the batch with which the storage will hold all recorded changes; `nil` if it holds them already.
    var lastNeeded: Int? {
        pending.isEmpty ? writing?.number : lastNumber + 1
    }

    /// True if changes are pending and no batch is being written.
    var isWaiting: Bool { writing == nil && !pending.isEmpty }

    /// Records that the storage holds these cookies.
    mutating func didLoad(_ cookies: some Sequence<Cookie.ID>) {
        stored.formUnion(cookies)
    }

    /// Records changes of the jar.
    mutating func record(_ changes: some Sequence<CookieChange>) {
        for change in changes {
            let id = change.id
            if case .set(let cookie) = change, cookie.expires != nil {
                pending[id] = change
            } else {
                pending[id] = isToBeRemoved(id) ? .removed(id) : nil
            }
        }
    }

    /// Returns true if the storage holds the cookie or is being told to save it.
    private func isToBeRemoved(_ id: Cookie.ID) -> Bool {
        stored.contains(id) || writing?.changes.contains { $0.id == id } ?? false
    }

    /// Begins to write; returns `nil` if nothing is pending or a batch is being written.
    mutating func start() -> Batch? {
        guard isWaiting else { return nil }
        lastNumber += 1
        let batch = Batch(number: lastNumber, changes: pending.values.sorted(by: Self.isBefore))
        pending = [:]
        writing = batch
        return batch
    }

    /// Records that the batch was written or has failed; after a failure its changes are pending again, unless there
    /// are newer ones.
    ///
    /// - Returns: The batch to write next. After a failure it is `nil` unless more changes came meanwhile: the same
    ///   batch would fail the same way, so it waits for the next change.
    mutating func finish(succeeded: Bool) -> Batch? {
        guard let batch = writing else { return nil }
        writing = nil
        let hasMore = !pending.isEmpty
        for change in batch.changes {
            switch (change, succeeded) {
            case (.set(let cookie), true): stored.insert(cookie.id)
            case (.removed(let id), true): stored.remove(id)
            case (_, false): pending[change.id] = pending[change.id] ?? change
            }
        }
        if !succeeded {
            // Removals of cookies that the failed batch would have stored are not needed.
            for case .removed(let id) in pending.values where !stored.contains(id) {
                pending[id] = nil
            }
        }
        return succeeded || hasMore ? start() : nil
    }

    private static func isBefore(_ one: CookieChange, _ other: CookieChange) -> Bool {
        switch (one, other) {
        case (.removed, .set): true
        case (.set, .removed): false
        case (.removed(let one), .removed(let other)):
            (one.domain, one.path, one.name) < (other.domain, other.path, other.name)
        case (.set(let one), .set(let other)): one.creationOrder < other.creationOrder
        }
    }
}
