package import ErrandTime

/// A store for tasks.
///
/// Writes are durable when they return, to the degree that the store was opened with. They are applied in the order of
/// submission, except on a full disk, where removals come first. They are grouped: writes that arrive during a commit
/// share the next one.
///
/// The store also keeps other data that must outlive the process: the control states and holds of sessions, cookies,
/// and the clock.
package protocol TaskStore: CookieStore, ScheduleStore {
    /// Adds tasks, usually in one transaction.
    ///
    /// A task that cannot be added does not affect the others.
    ///
    /// A repeated task (``TaskRecord/retryOf``) records its repetition (``TaskRecord/retriedBy``), which is a change
    /// with its own revision.
    ///
    /// - Returns: The result of each task, in order. ``TaskStoreError/Code/exists`` if the identifier already exists.
    func insert(_ tasks: [NewTask]) async -> [Result<Insertion, TaskStoreError>]

    /// Replaces the changeable part of a task, and stores the data that belongs to the change.
    ///
    /// The id, session, kind, creation time, ordering key, origin and specification never change; labels change only
    /// with ``TaskUpdate/changesLabels``. If the task has changed since the caller read it, nothing is stored.
    ///
    /// A task with an ordering key that reaches a terminal state, or returns to scheduled, unblocks the next task
    /// unless it was blocked itself. Starting an attempt of a blocked task returns ``UpdateOutcome/stale``.
    ///
    /// - Throws: ``TaskStoreError/Code/exists`` if the identifier of a child already exists; nothing is stored then.
    func update(_ update: TaskUpdate) async throws(TaskStoreError) -> UpdateOutcome

    /// Removes a task and all of its data in the store, including its events.
    ///
    /// The removal itself is recorded as an event. The idempotency key is removed too, or stays with the data that its
    /// replay needs. A damaged task can be removed too.
    ///
    /// - Returns: `nil` if there was no task.
    func delete(_ id: TaskID, at now: Timestamp, because reason: DeletionReason) async throws(TaskStoreError)
        -> Deletion?

    /// Returns the replay of a request whose idempotency key has already created a task.
    ///
    /// The result is `nil` if the key has created none, or has expired.
    func replay(of claim: IdempotencyClaim, at now: Timestamp) async throws(TaskStoreError) -> Insertion?

    /// Reads one task; returns `nil` if there is none.
    func task(_ id: TaskID) async throws(TaskStoreError) -> TaskRecord?

    /// Reads the newest task of a kind that has a parent, as a page without labels and objects shows it; `nil` if there
    /// is none.
    func lastChild(of parent: TaskID, kind: TaskKind) async throws(TaskStoreError) -> TaskRecord?

    /// Reads a page of the tasks that match, in the order of the query.
    ///
    /// A page is for display: it has no ``TaskSpecification/task``, and inline bodies have no bytes. An object of at
    /// most ``TaskQuery/inlineObjectBytes`` is returned as ``StoredObject/json(_:)`` (or stays a slice if the body is a
    /// file), a larger one as ``StoredObject/omitted``. Labels and documents that the query does not ask for are empty
    /// (``TaskQuery/showsLabels``, ``TaskQuery/showsDocuments``). Never call ``update(_:)`` with a record of a page.
    ///
    /// - Parameters:
    ///   - reader: The part of the program that reads.
    ///   - show: Returns what the caller keeps of the page. It is called before the reader's next page is read, so that
    ///     only a few pages are in memory, however many requests read lists.
    func tasks<Shown: Sendable>(
        _ query: TaskQuery, for reader: StoreReader, show: @escaping @Sendable (TaskPage) -> Shown
    ) async throws(TaskStoreError) -> Shown

    /// Reads the identifiers of the tasks that match, in the order of the query, without their documents.
    ///
    /// At most ``TaskQuery/pageSize`` identifiers are returned. Operations on many tasks go through them page by page.
    ///
    /// - Parameter reader: The part of the program that reads, which does not wait for the others.
    func identifiers(_ query: TaskQuery, for reader: StoreReader) async throws(TaskStoreError) -> [TaskID]

    /// Reads the positions of a session's queued tasks that are not blocked, in the order of their start.
    ///
    /// - Parameters:
    ///   - session: The session's name.
    ///   - position: The position after which to read; `nil` to read from the first.
    ///   - limit: The most positions to return.
    func queued(session: String, after position: QueuePosition?, limit: Int) async throws(TaskStoreError)
        -> [QueuePosition]

    /// Reads the tasks whose ``TaskRecord/dueAt`` is not later than a time, earliest first, in pages.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - last: The position after which to read; `nil` to read from the first.
    ///   - limit: The most tasks to return.
    func due(at now: Timestamp, after last: TaskMoment?, limit: Int) async throws(TaskStoreError) -> [TaskMoment]

    /// Reads the tasks whose deadline is not later than a time, earliest first, in pages.
    ///
    /// Tasks that are finished or being canceled are not included, because a deadline has no effect on them.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - last: The position after which to read; `nil` to read from the first.
    ///   - limit: The most tasks to return.
    func overdue(at now: Timestamp, after last: TaskMoment?, limit: Int) async throws(TaskStoreError) -> [TaskMoment]

    /// Reads the identifiers of the tasks with an open attempt (``TaskRecord/hasOpenAttempt``), in pages by id.
    ///
    /// Before any task is started, these are the tasks whose attempt was running or suspended when the store was closed
    /// or the process ended. Those that cannot be read are included, except those with a damaged identifier.
    func interrupted(after id: TaskID?, limit: Int) async throws(TaskStoreError) -> [TaskID]

    /// Reads the identifiers of a session's pending tasks (``TaskLifecycle/isPending``), oldest first.
    ///
    /// These tasks are neither under way nor finished. A purge, or the removal of a session, processes them in small
    /// steps. A task that becomes pending behind the last page, because its attempt failed or was lost, is missing from
    /// the following pages. Callers that need all of them start again until the first page is empty.
    ///
    /// - Parameters:
    ///   - session: The session's name.
    ///   - id: The task after which to read; `nil` to read from the first.
    ///   - limit: The most identifiers to return.
    func pending(session: String, after id: TaskID?, limit: Int) async throws(TaskStoreError) -> [TaskID]

    /// Reads the tasks whose ``TaskRecord/expiresAt`` is not later than a time, earliest first, in pages.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - last: The position after which to read; `nil` to read from the first.
    ///   - limit: The most tasks to return.
    func expired(at now: Timestamp, after last: TaskMoment?, limit: Int) async throws(TaskStoreError) -> [TaskMoment]

    /// Reads the finished tasks in the order of their ``TaskRecord/finishedAt``, in pages: no more than there are
    /// finished tasks in excess of a number.
    ///
    /// - Parameters:
    ///   - kept: The number. All finished tasks count, also those up to `last`: a caller that has kept some of these
    ///     adds their number, as newer tasks would take their places otherwise.
    ///   - last: The position after which to read; `nil` to read from the first.
    ///   - limit: The most tasks to return.
    func finished(
        beyond kept: Int, after last: TaskMoment?, limit: Int
    ) async throws(TaskStoreError) -> [TaskMoment]

    /// Removes expired idempotency keys, and deletion events before a moment, at most `limit` of each.
    ///
    /// - Returns: True if there may be more.
    func forget(keysExpiredAt now: Timestamp, deletionsBefore moment: Timestamp, limit: Int)
        async throws(TaskStoreError) -> Bool

    /// Reads events, oldest first.
    ///
    /// - Parameters:
    ///   - id: The event after which to read.
    ///   - task: The task of the events, none if it was deleted; `nil` for all, including ``StoredEvent/Kind/deleted``.
    ///   - limit: The most events to return.
    func events(after id: Int64, task: TaskID?, limit: Int) async throws(TaskStoreError) -> [StoredEvent]

    /// Returns the range of events that the store has.
    func eventBounds() async throws(TaskStoreError) -> EventBounds

    /// Calls `observer` with the events of each transaction after its commit, in the order of their numbers.
    ///
    /// The call runs on the store's own thread and must not wait. It replaces the previous observer.
    func observeEvents(_ observer: @escaping @Sendable ([StoredEvent]) -> Void)

    /// Returns the times since which tasks wait in their queues (``TaskRecord/readyAt``), of those that exist.
    func readyTimes(of ids: [TaskID]) async throws(TaskStoreError) -> [TaskID: Timestamp]

    /// Counts the tasks by session and state, and the callbacks that have not ended, without reading them.
    func counts() async throws(TaskStoreError) -> TaskCounts

    /// Counts the tasks that match, for each state that the query admits (``TaskQuery/admittedStates``).
    ///
    /// The size and the content of pages have no effect.
    func counts(matching query: TaskQuery) async throws(TaskStoreError) -> [TaskState: Int]

    /// The work of the store since it was opened, without reading.
    var work: StoreWork { get }

    /// Reads the control states of sessions, sorted by name.
    ///
    /// - Returns: The control states, including those of sessions that are no longer configured.
    func sessionControlStates() async throws(TaskStoreError) -> [SessionControlState]

    /// Replaces the control state of a session.
    ///
    /// A blank state removes it.
    func setSessionControlState(_ controlState: SessionControlState) async throws(TaskStoreError)

    /// Reads the holds of sessions, sorted by session; those that are over included.
    func upstreamHolds() async throws(TaskStoreError) -> [UpstreamHold]

    /// Replaces the hold of a session.
    ///
    /// A blank hold removes it.
    func setUpstreamHold(_ hold: UpstreamHold) async throws(TaskStoreError)

    /// Reads the system's clock as it was stored last; one without a jump if it was not.
    func clock() async throws(TaskStoreError) -> StoredClock

    /// Stores the system's clock, and with it the number of the newest event, in place of the former one.
    func setClock(_ clock: StoredClock) async throws(TaskStoreError)

    /// Verifies that the store is writable by durably writing a small meaningless value.
    ///
    /// Throws ``TaskStoreError/Code/diskFull`` also when only additions are refused for lack of space.
    func checkWritable() async throws(TaskStoreError)

    /// Finishes submitted operations and closes the store.
    ///
    /// Later calls throw ``TaskStoreError/closed``.
    func close() async
}

/// The result of removing a task.
package struct Deletion: Sendable, Hashable {
    /// The next task of the ordering key, if the removed task had its turn.
    package var release: TaskRelease?

    /// Creates a deletion.
    package init(release: TaskRelease? = nil) {
        self.release = release
    }
}

extension TaskStore {
    /// Adds one task.
    package func insert(_ task: NewTask) async throws(TaskStoreError) -> Insertion {
        guard let result = await insert([task]).first else { throw .missingResult }
        return try result.get()
    }
}

/// The events that an acknowledged write survives.
package enum Durability: String, Sendable, CaseIterable {
    /// Power loss: a write is on the medium before it is acknowledged.
    case full
    /// A crash of the process: the system has a write before it is acknowledged, and the medium gets it a little later.
    ///
    /// After power loss the latest writes may be missing. The rest of the database is consistent, but may refer to the
    /// file of a body that is missing or incomplete.
    case normal
}

/// A part of the program that reads the store.
package enum StoreReader: Sendable, Hashable {
    /// A request of a client, which may scan many tasks, and waits for those of other clients.
    ///
    /// It is refused if too many wait (``TaskStoreError/Code/tooManyReads``), and its time limit includes its wait.
    case clients
    /// A request of a client whose response has begun, so that it is too late to refuse it.
    ///
    /// It waits for its turn, which alternates with those of the requests that have not begun.
    case begunRequests
    /// The dispatcher, which waits for no client, and gets no task with a damaged identifier.
    case dispatcher
}

extension TaskStore {
    /// Reads a page of tasks for a client.
    package func tasks(_ query: TaskQuery) async throws(TaskStoreError) -> TaskPage {
        try await tasks(query, for: .clients) { $0 }
    }

    /// Reads identifiers for a client.
    package func identifiers(_ query: TaskQuery) async throws(TaskStoreError) -> [TaskID] {
        try await identifiers(query, for: .clients)
    }
}
