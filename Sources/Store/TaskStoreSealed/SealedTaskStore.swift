package import ErrandCryptography
package import ErrandTaskStore
package import ErrandTime

/// A store that wraps another one and seals possible secrets before they reach the disk.
///
/// | sealed | not sealed |
/// | --- | --- |
/// | the task as the client wrote it, with headers, parameters and inline content | identifiers, session, kind, state, priority, times, counts |
/// | the request, attempts, response head with its media type, and error as they are shown | labels, which are searched |
/// | the destination of the callback; the details of the event of a redirect or challenge; the definition of a schedule | the name, session and times of a schedule |
/// | the values of persistent cookies | the name, domain and path of a cookie |
/// | | the SHA-256 of the request with an idempotency key, which is compared when the key is used again |
/// | | the content of responses, in the database and in files, and the object created from it |
///
/// Each value is bound to its column and its record (``DocumentSealer``), so that it cannot be moved to another task.
/// Data that was stored before there was a key stays readable. Later results of such a task are sealed, but not its
/// specification, which is never written again. Sealing protects against readers of the database or a copy, not against
/// attackers who can write to it.
///
/// Without a key in the ring the store seals nothing and opens nothing, but it still recognizes and reports sealed
/// data.
///
/// With a key, filters that look into documents (``TaskQuery/readsDocuments``) are refused.
///
/// A record whose key is missing, or whose sealed bytes were changed, fails individually:
/// - ``task(_:)`` throws ``TaskStoreError/Code/sealed`` or `corrupt`, with the identifier of the key;
/// - ``tasks(_:)`` returns it without its documents;
/// - ``events(after:task:limit:)`` and ``schedules()`` return it without its document;
/// - ``cookies(session:)`` throws, for all cookies of the session.
///
/// After a change of keys ``sealAgain()`` seals schedules and cookies with the new first key; tasks keep theirs.
package struct SealedTaskStore: TaskStore {
    let base: any TaskStore
    let sealer: DocumentSealer

    /// Wraps a store.
    ///
    /// - Parameter keys: The keys. The first one seals new data, all of them open existing data.
    package init(_ base: any TaskStore, keys: SealingKeyring) {
        self.base = base
        sealer = DocumentSealer(keys: keys)
    }

    // MARK: Tasks

    package func insert(_ tasks: [NewTask]) async -> [Result<Insertion, TaskStoreError>] {
        guard sealer.keys.canSeal else { return await base.insert(tasks) }
        var sealed: [NewTask] = []
        var failures: [Int: TaskStoreError] = [:]
        for (index, task) in tasks.enumerated() {
            do throws(TaskStoreError) {
                var new = task
                new.record = try sealer.sealing(task.record, with: .all)
                sealed.append(new)
            } catch {
                failures[index] = error
            }
        }
        let results = await base.insert(sealed)
        guard !failures.isEmpty else { return results }
        var stored = results.makeIterator()
        return tasks.indices.map { index in
            failures[index].map { .failure($0) } ?? stored.next() ?? .failure(.missingResult)
        }
    }

    package func update(_ update: TaskUpdate) async throws(TaskStoreError) -> UpdateOutcome {
        var sealed = update
        // An update does not write the specification, nor a result that it keeps.
        if !update.keepsResult { sealed.record = try sealer.sealing(update.record, with: .result) }
        for index in update.children.indices {
            sealed.children[index] = try sealer.sealing(update.children[index], with: .all)
        }
        for index in update.hops.indices {
            sealed.hops[index].detail = try sealer.sealing(hop: update.hops[index].detail, of: update.record.id)
        }
        return try await base.update(sealed)
    }

    package func delete(
        _ id: TaskID, at now: Timestamp, because reason: DeletionReason
    ) async throws(TaskStoreError) -> Deletion? {
        try await base.delete(id, at: now, because: reason)
    }

    package func task(_ id: TaskID) async throws(TaskStoreError) -> TaskRecord? {
        guard let record = try await base.task(id) else { return nil }
        do {
            return try sealer.opening(record)
        } catch {
            // Callers without access to the session must not learn that the task exists.
            var error = error
            error.session = record.session
            throw error
        }
    }

    package func lastChild(of parent: TaskID, kind: TaskKind) async throws(TaskStoreError) -> TaskRecord? {
        try await base.lastChild(of: parent, kind: kind).map(sealer.showing)
    }

    package func tasks<Shown: Sendable>(
        _ query: TaskQuery, for reader: StoreReader, show: @escaping @Sendable (TaskPage) -> Shown
    ) async throws(TaskStoreError) -> Shown {
        try checkSearchable(query)
        return try await base.tasks(query, for: reader) { [sealer] page in
            var page = page
            page.tasks = page.tasks.map(sealer.showing)
            return show(page)
        }
    }

    /// Throws if a filter looks into documents that are sealed: the tasks would be missing without a word.
    private func checkSearchable(_ query: TaskQuery) throws(TaskStoreError) {
        if query.readsDocuments, sealer.keys.canSeal { throw .unsearchable }
    }

    // MARK: Events

    package func events(
        after id: Int64, task: TaskID?, limit: Int
    ) async throws(TaskStoreError) -> [StoredEvent] {
        try await base.events(after: id, task: task, limit: limit).map(sealer.showing)
    }

    package func observeEvents(_ observer: @escaping @Sendable ([StoredEvent]) -> Void) {
        // Without a key, this process seals none of the events that it writes.
        guard sealer.keys.canSeal else { return base.observeEvents(observer) }
        base.observeEvents { [sealer] events in observer(events.map(sealer.showing)) }
    }

    package func eventBounds() async throws(TaskStoreError) -> EventBounds {
        try await base.eventBounds()
    }

    // MARK: Schedules

    package func schedules() async throws(TaskStoreError) -> [ScheduleRecord] {
        try await base.schedules().map(sealer.showing)
    }

    package func put(
        _ schedule: ScheduleRecord, expecting expected: Int64?, inserting task: TaskRecord?
    ) async throws(TaskStoreError) -> Bool {
        var sealed: TaskRecord?
        if let task { sealed = try sealer.sealing(task, with: .all) }
        return try await base.put(sealer.sealing(schedule), expecting: expected, inserting: sealed)
    }

    package func removeSchedule(_ name: String) async throws(TaskStoreError) -> Bool {
        try await base.removeSchedule(name)
    }

    // MARK: Cookies

    package func cookies(session: String) async throws(TaskStoreError) -> [StoredCookie] {
        var cookies = try await base.cookies(session: session)
        for index in cookies.indices {
            cookies[index].value = try sealer.opening(valueOf: cookies[index], session: session)
        }
        return cookies
    }

    package func sessionsWithCookies() async throws(TaskStoreError) -> [String] {
        try await base.sessionsWithCookies()
    }

    package func update(cookies changes: [StoredCookieChange], session: String) async throws(TaskStoreError) {
        var sealed = changes
        for (index, change) in changes.enumerated() {
            guard case .set(var cookie) = change else { continue }
            cookie.value = try sealer.sealing(valueOf: cookie, session: session)
            sealed[index] = .set(cookie)
        }
        try await base.update(cookies: sealed, session: session)
    }

    // MARK: Without secrets

    package func identifiers(
        _ query: TaskQuery, for reader: StoreReader
    ) async throws(TaskStoreError) -> [TaskID] {
        try checkSearchable(query)
        return try await base.identifiers(query, for: reader)
    }

    package func queued(
        session: String, after position: QueuePosition?, limit: Int
    ) async throws(TaskStoreError) -> [QueuePosition] {
        try await base.queued(session: session, after: position, limit: limit)
    }

    package func readyTimes(of ids: [TaskID]) async throws(TaskStoreError) -> [TaskID: Timestamp] {
        try await base.readyTimes(of: ids)
    }

    package func pending(
        session: String, after id: TaskID?, limit: Int
    ) async throws(TaskStoreError) -> [TaskID] {
        try await base.pending(session: session, after: id, limit: limit)
    }

    package func interrupted(after id: TaskID?, limit: Int) async throws(TaskStoreError) -> [TaskID] {
        try await base.interrupted(after: id, limit: limit)
    }

    package func due(
        at now: Timestamp, after last: TaskMoment?, limit: Int
    ) async throws(TaskStoreError) -> [TaskMoment] {
        try await base.due(at: now, after: last, limit: limit)
    }

    package func overdue(
        at now: Timestamp, after last: TaskMoment?, limit: Int
    ) async throws(TaskStoreError) -> [TaskMoment] {
        try await base.overdue(at: now, after: last, limit: limit)
    }

    package func replay(
        of claim: IdempotencyClaim, at now: Timestamp
    ) async throws(TaskStoreError) -> Insertion? {
        try await base.replay(of: claim, at: now)
    }

    package func finished(
        beyond kept: Int, after last: TaskMoment?, limit: Int
    ) async throws(TaskStoreError) -> [TaskMoment] {
        try await base.finished(beyond: kept, after: last, limit: limit)
    }

    package func forget(
        keysExpiredAt now: Timestamp, deletionsBefore moment: Timestamp, limit: Int
    ) async throws(TaskStoreError) -> Bool {
        try await base.forget(keysExpiredAt: now, deletionsBefore: moment, limit: limit)
    }

    package func expired(
        at now: Timestamp, after last: TaskMoment?, limit: Int
    ) async throws(TaskStoreError) -> [TaskMoment] {
        try await base.expired(at: now, after: last, limit: limit)
    }

    package var work: StoreWork { base.work }

    package func counts() async throws(TaskStoreError) -> TaskCounts {
        try await base.counts()
    }

    package func counts(matching query: TaskQuery) async throws(TaskStoreError) -> [TaskState: Int] {
        try checkSearchable(query)
        return try await base.counts(matching: query)
    }

    package func sessionControlStates() async throws(TaskStoreError) -> [SessionControlState] {
        try await base.sessionControlStates()
    }

    package func setSessionControlState(_ controlState: SessionControlState) async throws(TaskStoreError) {
        try await base.setSessionControlState(controlState)
    }

    package func upstreamHolds() async throws(TaskStoreError) -> [UpstreamHold] {
        try await base.upstreamHolds()
    }

    package func setUpstreamHold(_ hold: UpstreamHold) async throws(TaskStoreError) {
        try await base.setUpstreamHold(hold)
    }

    package func clock() async throws(TaskStoreError) -> StoredClock {
        try await base.clock()
    }

    package func setClock(_ clock: StoredClock) async throws(TaskStoreError) {
        try await base.setClock(clock)
    }

    package func checkWritable() async throws(TaskStoreError) {
        try await base.checkWritable()
    }

    package func close() async {
        await base.close()
    }
}
