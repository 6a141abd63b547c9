/// What a jar's storage does not know yet, and whether it is being told: a machine without I/O.
///
/// | state | ends with |
/// | --- | --- |
/// | idle | ``start()``, when something is pending → writing |
/// | writing | ``finish(succeeded:)`` → writing, when more came meanwhile; else idle |
///
/// Of several changes to a cookie only the last is kept. A cookie that the storage does not know needs no removal: so
/// what is pending stays bounded by what the jar and the storage hold, however long the storage fails.
struct CookieWriteBehind {
    /// Changes that are written together.
    struct Batch: Equatable {
        /// The first is 1.
        let number: Int
        /// At most one for each cookie: removals, then cookies in the order in which they were made.
        let changes: [CookieChange]
    }

    private var stored: Set<Cookie.ID> = []
    private var pending: [Cookie.ID: CookieChange] = [:]
    private var writing: Batch?
    private var lastNumber = 0

    /// The number of the batch after which the storage knows everything that was recorded; `nil` when it does.
    var lastNeeded: Int? {
        pending.isEmpty ? writing?.number : lastNumber + 1
    }

    /// Whether there is something to write, and nobody writes.
    var isWaiting: Bool { writing == nil && !pending.isEmpty }

    /// The storage holds these cookies.
    mutating func knows(_ cookies: some Sequence<Cookie.ID>) {
        stored.formUnion(cookies)
    }

    /// Notes what has become different in the jar.
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

    /// The storage holds the cookie, or is about to.
    private func isToBeRemoved(_ id: Cookie.ID) -> Bool {
        stored.contains(id) || writing?.changes.contains { $0.id == id } ?? false
    }

    /// Begins to write; `nil` when there is nothing to write, or somebody writes.
    mutating func start() -> Batch? {
        guard isWaiting else { return nil }
        lastNumber += 1
        let batch = Batch(number: lastNumber, changes: pending.values.sorted(by: Self.isBefore))
        pending = [:]
        writing = batch
        return batch
    }

    /// The batch was written, or was not: then it is pending again, where nothing newer is.
    ///
    /// - Returns: What to write next. After a failure that is only something when more came meanwhile: the same alone
    ///   would fail the same way, so it waits for the next change.
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
            // Removals of what would have been stored by now.
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
