import Dispatch
import GRDB
import Locking
package import TaskStore

/// Tasks in an SQLite database of one process.
///
/// One connection writes, in groups, on a queue of its own; a few read beside it on snapshots; one moves the
/// write-ahead log into the database. No caller's thread waits for the disk, but the one that opens the store.
package final class SQLiteTaskStore: TaskStore {
    private let writer: StoreWriter
    private let readers: ReaderPool
    private let checkpointer: Checkpointer
    /// Gone when the store is closed.
    private let open: Mutex<StoreResources?>

    /// Opens the store at `path`, creating it (and its folder) when it is missing.
    ///
    /// Blocks until that is done.
    ///
    /// - Parameters:
    ///   - path: The database file. `path` with `-wal`, `-shm` and `.lock` belong to it.
    ///   - durability: What an acknowledged write survives.
    ///   - readerCount: The connections that read.
    /// - Throws: ``TaskStoreError/Code/locked`` when another gateway has it open, `foreign`, `tooNew`, `corrupt`,
    ///   `readOnly`, `diskFull`, `inputOutput`.
    package init(path: String, durability: Durability, readerCount: Int = 3) throws(TaskStoreError) {
        do {
            let opening = StoreOpening(path: path, durability: durability)
            let lock = try opening.lock()
            let main = try opening.writer()
            let side = try opening.checkpoints()
            let reading = try (0..<max(readerCount, 1)).map { try opening.reader($0) }
            checkpointer = Checkpointer(side)
            writer = try StoreWriter(main, checkpointer: checkpointer)
            readers = ReaderPool(reading)
            open = Mutex(StoreResources(connections: reading + [side, main], lock: lock))
        } catch {
            throw TaskStoreError(error)
        }
    }

    // MARK: Writing

    package func insert(_ tasks: [NewTask]) async -> [Result<Insertion, TaskStoreError>] {
        await writer.perform(tasks.map { .insert($0) }).map { $0.flatMap(\.self) }
    }

    package func update(_ update: TaskUpdate) async throws(TaskStoreError) -> UpdateOutcome {
        try await writer.perform(.update(update))
    }

    package func delete(_ id: TaskID, at now: Timestamp) async throws(TaskStoreError) -> Deletion? {
        try await writer.perform(.delete(id, at: now))
    }

    package func put(
        _ schedule: ScheduleRecord, expecting expected: Int64?, inserting task: TaskRecord?
    ) async throws(TaskStoreError) -> Bool {
        try await writer.perform(.put(schedule, expecting: expected, inserting: task))
    }

    package func removeSchedule(_ name: String) async throws(TaskStoreError) -> Bool {
        try await writer.perform(.removeSchedule(name))
    }

    package func forget(
        keysExpiredAt now: Timestamp, deletionsBefore moment: Timestamp, limit: Int
    ) async throws(TaskStoreError) -> Bool {
        try await writer.perform(.forget(keysExpiredAt: now, deletionsBefore: moment, limit: limit))
    }

    package func setSessionMark(_ mark: SessionMark) async throws(TaskStoreError) {
        try await writer.perform(.mark(mark))
    }

    package func update(cookies changes: [StoredCookieChange], session: String) async throws(TaskStoreError) {
        try await writer.perform(.cookies(changes, session: session))
    }

    package func checkWritable() async throws(TaskStoreError) {
        try await writer.perform(.probe)
        if let failure = await checkpointer.retry() { throw failure }
    }

    // MARK: Reading

    package func task(_ id: TaskID) async throws(TaskStoreError) -> TaskRecord? {
        try await readers.read { try TaskReading($0).task(id) }
    }

    package func tasks(_ query: TaskQuery) async throws(TaskStoreError) -> TaskPage {
        TaskPage(found: try await readers.read { try TaskReading($0).tasks(query) }, query: query)
    }

    package func identifiers(_ query: TaskQuery) async throws(TaskStoreError) -> [TaskID] {
        try await readers.read { try TaskReading($0).identifiers(query) }
    }

    package func queued(
        session: String, after position: QueuePosition?, limit: Int
    ) async throws(TaskStoreError) -> [QueuePosition] {
        try await readers.read { try TaskReading($0).queued(session: session, after: position, limit: limit) }
    }

    package func interrupted(after id: TaskID?, limit: Int) async throws(TaskStoreError) -> [TaskRecord] {
        try await readers.read { try TaskReading($0).interrupted(after: id, limit: limit) }
    }

    package func pending(
        session: String, after id: TaskID?, limit: Int
    ) async throws(TaskStoreError) -> [TaskID] {
        try await readers.read { try TaskReading($0).pending(session: session, after: id, limit: limit) }
    }

    package func expired(at now: Timestamp, limit: Int) async throws(TaskStoreError) -> [TaskID] {
        try await readers.read { try TaskReading($0).expired(at: now, limit: limit) }
    }

    package func due(at now: Timestamp, limit: Int) async throws(TaskStoreError) -> [TaskID] {
        try await readers.read { try TaskReading($0).due(at: now, limit: limit) }
    }

    package func overdue(at now: Timestamp, limit: Int) async throws(TaskStoreError) -> [TaskID] {
        try await readers.read { try TaskReading($0).overdue(at: now, limit: limit) }
    }

    package func answer(
        to claim: IdempotencyClaim, at now: Timestamp
    ) async throws(TaskStoreError) -> Insertion? {
        try await readers.read {
            try IdempotencyKeys.answer(to: claim, at: now, by: IdempotencyStatements.find(in: $0))
        }
    }

    package func nextAlarm() async throws(TaskStoreError) -> Timestamp? {
        try await readers.read { try TaskReading($0).nextAlarm() }
    }

    package func finished(beyond kept: Int, limit: Int) async throws(TaskStoreError) -> [TaskID] {
        let counts = try await counts()
        let done = TaskState.allCases.filter(\.isTerminal).reduce(0) { $0 + counts[$1] }
        let excess = min(done - max(kept, 0), limit)
        guard excess > 0 else { return [] }
        return try await readers.read { try TaskReading($0).finished(limit: excess) }
    }

    package func events(
        after id: Int64, task: TaskID?, limit: Int
    ) async throws(TaskStoreError) -> [StoredEvent] {
        try await readers.read { try EventReading($0).events(after: id, task: task, limit: limit) }
    }

    package func schedules() async throws(TaskStoreError) -> [ScheduleRecord] {
        try await readers.read { try ScheduleRows($0).all() }
    }

    // MARK: What the writer knows without reading

    package func counts() async throws(TaskStoreError) -> TaskCounts {
        guard open.withLock({ $0 != nil }) else { throw .closed }
        return writer.counts
    }

    package func eventBounds() async throws(TaskStoreError) -> EventBounds {
        guard open.withLock({ $0 != nil }) else { throw .closed }
        return writer.eventBounds
    }

    package func observeEvents(_ observer: @escaping @Sendable ([StoredEvent]) -> Void) {
        writer.observe(observer)
    }

    package func sessionMarks() async throws(TaskStoreError) -> [SessionMark] {
        try await readers.read { try SessionReading($0).marks() }
    }

    package func cookies(session: String) async throws(TaskStoreError) -> [StoredCookie] {
        try await readers.read { try SessionReading($0).cookies(session) }
    }

    package func close() async {
        await writer.close()
        await checkpointer.finish()
        await readers.close()
        guard let resources = open.withLock({ $0.take() }) else { return }
        await resources.close()
    }
}

/// What an open store holds of the system.
private struct StoreResources: ~Copyable, Sendable {
    /// In the order in which they are closed: the last one moves the log into the database and removes it.
    let connections: [DatabaseQueue]
    let lock: StoreLock

    /// Closes the connections, then gives the lock back.
    consuming func close() async {
        let connections = connections
        await withCheckedContinuation { continuation in
            // Waits for the disk: not on a thread of the cooperative pool.
            DispatchQueue(label: "errand.store.close").async {
                for connection in connections {
                    do {
                        try connection.close()
                    } catch {
                        // SQLite keeps a connection that is in use until it is not: it goes with the store.
                        continue
                    }
                }
                continuation.resume()
            }
        }
    }
}
