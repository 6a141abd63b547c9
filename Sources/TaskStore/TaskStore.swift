/// Where tasks are kept.
///
/// Writes are durable when they return, to the degree that the store was opened with, and are applied in the order in
/// which they were submitted. They are grouped: what arrives while a commit runs goes into the next one together.
///
/// It keeps what else has to outlive the process, too: what operators did to sessions, and cookies.
package protocol TaskStore: CookieStore, ScheduleStore {
    /// Adds tasks in one durable write, each by itself: one that cannot be added keeps none of the others out.
    ///
    /// - Returns: What became of each, in their order. ``TaskStoreError/Code/exists`` when there is one with the same
    ///   identifier.
    func insert(_ tasks: [NewTask]) async -> [Result<Insertion, TaskStoreError>]

    /// Replaces the changeable part of a task (everything but id, session, kind, creation time, ordering key, origin and
    /// specification; labels only with ``TaskUpdate/changesLabels``) if nobody else changed it since, with what belongs
    /// to the change.
    ///
    /// A task with an ordering key that reaches a terminal state, or goes back to scheduled, lets go of the next one if
    /// it was not blocked itself. That a blocked task opens an attempt is refused as ``UpdateOutcome/stale``: it is in
    /// nobody's turn to start it.
    ///
    /// - Throws: ``TaskStoreError/Code/exists``, and nothing is stored, when there is a task with the identifier of a
    ///   child.
    func update(_ update: TaskUpdate) async throws(TaskStoreError) -> UpdateOutcome

    /// Removes a task and everything that belongs to it in the store, its idempotency key and its events too; that it is
    /// gone is an event of its own.
    ///
    /// - Returns: `nil` when there was none.
    func delete(_ id: TaskID, at now: Timestamp) async throws(TaskStoreError) -> Deletion?

    /// Reads what an idempotency key that has made a task says to a request; `nil` when it has made none, or its time is
    /// over.
    func answer(to claim: IdempotencyClaim, at now: Timestamp) async throws(TaskStoreError) -> Insertion?

    /// Reads one task, `nil` when there is none.
    func task(_ id: TaskID) async throws(TaskStoreError) -> TaskRecord?

    /// Reads a page of the tasks that match, newest first.
    ///
    /// A page is for showing: an object of at most ``TaskQuery/inlineObjectBytes`` comes as ``StoredObject/json(_:)``
    /// (or stays a slice when the body is a file), a larger one as ``StoredObject/omitted``, and inline bodies have no
    /// bytes. Never ``update(_:expecting:)`` with a record of a page.
    func tasks(_ query: TaskQuery) async throws(TaskStoreError) -> TaskPage

    /// Reads the identifiers of the tasks that match, newest first, at most ``TaskQuery/pageSize``, and none of their
    /// documents: what is done to many tasks goes through them in pages.
    func identifiers(_ query: TaskQuery) async throws(TaskStoreError) -> [TaskID]

    /// Reads where the queued tasks of a session are that are not blocked, in the order in which they are to be started.
    ///
    /// - Parameters:
    ///   - session: The session's name.
    ///   - position: Only those after this place in the order; `nil` from the first.
    ///   - limit: At most so many.
    func queued(session: String, after position: QueuePosition?, limit: Int) async throws(TaskStoreError)
        -> [QueuePosition]

    /// Reads the tasks whose ``TaskRecord/dueAt`` is not later than `now`, first due first.
    func due(at now: Timestamp, limit: Int) async throws(TaskStoreError) -> [TaskID]

    /// Reads the tasks whose deadline is not later than `now`, first passed first: those that are neither done nor
    /// being canceled, which is what a deadline would do to them.
    func overdue(at now: Timestamp, limit: Int) async throws(TaskStoreError) -> [TaskID]

    /// Reads when the next task is due or overdue, which may be past; `nil` when none ever is.
    func nextAlarm() async throws(TaskStoreError) -> Timestamp?

    /// Reads the tasks with an open attempt (``TaskRecord/hasOpenAttempt``), in pages by id.
    ///
    /// Before anything is started these are the tasks whose attempt was under way, or stood still, when the store was
    /// closed or the process died.
    func interrupted(after id: TaskID?, limit: Int) async throws(TaskStoreError) -> [TaskRecord]

    /// Reads the identifiers of a session's tasks that are neither under way nor over (``TaskLifecycle/isPending``),
    /// oldest first: what a purge or the end of the session works through in small steps.
    ///
    /// A task that becomes pending behind the last page, because its attempt has failed or was lost, is on none of the
    /// pages that follow: who wants all of them begins again until the first page is empty.
    ///
    /// - Parameters:
    ///   - session: The session's name.
    ///   - id: Only those after this one; `nil` from the first.
    ///   - limit: At most so many.
    func pending(session: String, after id: TaskID?, limit: Int) async throws(TaskStoreError) -> [TaskID]

    /// Reads the identifiers of tasks whose ``TaskRecord/expiresAt`` is not later than `now`, first expired first.
    func expired(at now: Timestamp, limit: Int) async throws(TaskStoreError) -> [TaskID]

    /// Reads the identifiers of the tasks that were done first, as many as there are done beyond `kept`, at most `limit`.
    func finished(beyond kept: Int, limit: Int) async throws(TaskStoreError) -> [TaskID]

    /// Forgets idempotency keys whose time is over, and that tasks were deleted before a moment, at most so many of each.
    ///
    /// - Returns: Whether there may be more.
    func forget(keysExpiredAt now: Timestamp, deletionsBefore moment: Timestamp, limit: Int)
        async throws(TaskStoreError) -> Bool

    /// Reads events, oldest first.
    ///
    /// - Parameters:
    ///   - id: Only those after this one.
    ///   - task: Only those of this task, none when it is gone; `nil` for all, ``StoredEvent/Kind/deleted`` among them.
    ///   - limit: At most so many.
    func events(after id: Int64, task: TaskID?, limit: Int) async throws(TaskStoreError) -> [StoredEvent]

    /// Which events there are.
    func eventBounds() async throws(TaskStoreError) -> EventBounds

    /// Calls `observer` with the events of each transaction after its commit, in the order of their numbers.
    ///
    /// On the store's own thread: it must not wait. Replaces the observer before.
    func observeEvents(_ observer: @escaping @Sendable ([StoredEvent]) -> Void)

    /// Counts the tasks by session and state, without reading them.
    func counts() async throws(TaskStoreError) -> TaskCounts

    /// Reads what operators did to sessions, by name.
    ///
    /// - Returns: Also the marks of sessions that are not configured any more.
    func sessionMarks() async throws(TaskStoreError) -> [SessionMark]

    /// Remembers what an operator did to a session, in place of what was remembered of it; a blank mark forgets it.
    func setSessionMark(_ mark: SessionMark) async throws(TaskStoreError)

    /// Returns when a write would succeed now: something small was written, durably, that means nothing.
    func checkWritable() async throws(TaskStoreError)

    /// Finishes what was submitted and closes the store. Later calls throw ``TaskStoreError/closed``.
    func close() async
}

/// What the removal of a task has led to.
package struct Deletion: Sendable, Hashable {
    /// The next task of its ordering key, if it was that one's turn to come.
    package var release: TaskRelease?

    /// Creates a deletion.
    package init(release: TaskRelease? = nil) {
        self.release = release
    }
}

extension TaskStore {
    /// Adds one task.
    package func insert(_ task: NewTask) async throws(TaskStoreError) -> Insertion {
        guard let result = await insert([task]).first else { throw .silent }
        return try result.get()
    }
}
