/// Where tasks are kept.
///
/// Writes are durable when they return, to the degree that the store was opened with, and are applied in the order in
/// which they were submitted. They are grouped: what arrives while a commit runs goes into the next one together.
///
/// It keeps what else has to outlive the process, too: what operators did to sessions, and cookies.
package protocol TaskStore: CookieStore {
    /// Adds a task.
    ///
    /// - Throws: ``TaskStoreError/Code/exists`` when there is one with this identifier.
    func insert(_ record: TaskRecord) async throws(TaskStoreError)

    /// Replaces the changeable part of a task (everything but id, session, kind, creation time, labels and
    /// specification) if nobody else changed it since.
    ///
    /// - Parameters:
    ///   - record: The task as it shall be; its `revision` is the new one.
    ///   - expected: The revision that the caller has seen.
    /// - Returns: `false`, and nothing written, when the task is gone or has another revision.
    func update(_ record: TaskRecord, expecting expected: Int64) async throws(TaskStoreError) -> Bool

    /// Removes a task and everything that belongs to it in the store.
    ///
    /// - Returns: `false` when there was none.
    func delete(_ id: TaskID) async throws(TaskStoreError) -> Bool

    /// Reads one task, `nil` when there is none.
    func task(_ id: TaskID) async throws(TaskStoreError) -> TaskRecord?

    /// Reads a page of the tasks that match, newest first.
    ///
    /// A page is for showing: an object of at most ``TaskQuery/inlineObjectBytes`` comes as ``StoredObject/json(_:)``
    /// (or stays a slice when the body is a file), a larger one as ``StoredObject/omitted``, and inline bodies have no
    /// bytes. Never ``update(_:expecting:)`` with a record of a page.
    func tasks(_ query: TaskQuery) async throws(TaskStoreError) -> TaskPage

    /// Reads where the queued tasks of a session are in the order in which they are to be started: higher priority first, older first.
    ///
    /// - Parameters:
    ///   - session: The session's name.
    ///   - position: Only those after this place in the order; `nil` from the first.
    ///   - limit: At most so many.
    func queued(session: String, after position: QueuePosition?, limit: Int) async throws(TaskStoreError)
        -> [QueuePosition]

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
