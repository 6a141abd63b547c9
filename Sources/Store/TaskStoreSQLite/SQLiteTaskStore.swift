import CErrandSQLite
import Dispatch
import ErrandLocking
import ErrandLogs
package import ErrandTaskStore
package import ErrandTime
import GRDB
package import Logging

/// A store of tasks in an SQLite database of one process.
///
/// One connection writes in groups on its own queue, and one moves the write-ahead log into the database. Reading
/// connections use concurrent snapshots and are divided, so that no kind of read waits for another:
///
/// | connections | read | limits |
/// | --- | --- | --- |
/// | lists | pages of tasks and of their identifiers, and their counts, which may scan many rows | a timeout, a queue, the caller's task |
/// | records | single records by key | – |
/// | replays | pages of stored events, which a stream reads until it has sent all that its client missed | – |
/// | dispatch | tasks to start, due tasks, expired tasks | – |
///
/// Only the thread that opens the store waits for the disk; other callers' threads never do.
package final class SQLiteTaskStore: TaskStore {
    private let writer: StoreWriter
    let lists: ReaderPool
    let records: ReaderPool
    private let replays: ReaderPool
    private let dispatch: ReaderPool
    private let checkpointer: Checkpointer
    private let damaged: DamagedIdentifiers
    /// The name of the store, and whether it had tasks when it was opened.
    package let identity: StoreIdentity
    /// The open resources; `nil` once the store is closed.
    private let open: Mutex<StoreResources?>

    /// Opens the store at `path`, creating it (and its folder) if it is missing.
    ///
    /// Blocks until that is done.
    ///
    /// - Parameters:
    ///   - path: The database file. Its path with `-wal`, `-shm`, `.lock` and `.ballast` belong to it; with a symbolic
    ///     link, those of the file that it leads to.
    ///   - durability: The events that an acknowledged write survives.
    ///   - openedAt: The present, which the numbers of events follow; `nil` to continue after the newest event.
    ///   - readTimeout: The longest time that reading a list may take, including its time in the queue.
    ///   - logger: Logs warnings about a growing write-ahead log and slow transactions, and damaged identifiers.
    /// - Throws: ``TaskStoreError/Code/locked`` if another gateway has it open, `foreign`, `tooNew`, `corrupt`,
    ///   `readOnly`, `diskFull`, `inputOutput`.
    package convenience init(
        path: String, durability: Durability, openedAt: Timestamp? = Timestamp.now(),
        readTimeout: Duration = .seconds(5), logger: Logger? = nil
    ) throws(TaskStoreError) {
        try self.init(
            StoreOpening(path: path, durability: durability, openedAt: openedAt), readTimeout: readTimeout,
            logger: logger)
    }

    /// Opens the store, with all its times under the control of the caller.
    init(_ opening: StoreOpening, readTimeout: Duration, logger: Logger? = nil) throws(TaskStoreError) {
        let logger = logger ?? .discarding
        do {
            let lock = try opening.lock()
            let main = try opening.writer()
            guard let identity = try main.inDatabase({ try StoreIdentity($0) }) else {
                throw TaskStoreError(.corrupt, "The task store has no name")
            }
            self.identity = identity
            let side = try opening.checkpoints()
            var reading: [DatabaseQueue] = []
            func pool(_ count: Int, limits: ReaderPool.Limits? = nil) throws -> ReaderPool {
                let connections = try (0..<count).map { try opening.reader(reading.count + $0) }
                reading += connections
                return ReaderPool(connections, limits: limits)
            }
            lists = try pool(
                Self.listReaders, limits: ReaderPool.Limits(timeout: readTimeout, maxWaiting: Self.maxWaitingLists))
            records = try pool(Self.recordReaders)
            replays = try pool(1)
            dispatch = try pool(1)
            checkpointer = Checkpointer(
                side, writer: main, lists: lists, busyTimeoutMilliseconds: opening.busyTimeoutMilliseconds,
                logger: logger)
            checkpointer.checkpointLeftovers()
            damaged = DamagedIdentifiers(logger: logger)
            writer = try StoreWriter(
                main, checkpointer: checkpointer, ballast: Ballast(database: opening.path), openedAt: opening.openedAt,
                logger: logger)
            open = Mutex(StoreResources(connections: reading + [side, main], lock: lock))
        } catch {
            throw TaskStoreError(error, probe: SpaceProbe(database: opening.path))
        }
    }

    /// The number of connections that read lists.
    static let listReaders = 2
    /// The number of connections that read single records.
    static let recordReaders = 2
    /// The most lists that wait to be read.
    private static let maxWaitingLists = 128

    // MARK: Writing

    package func insert(_ tasks: [NewTask]) async -> [Result<Insertion, TaskStoreError>] {
        let written: [Result<Result<Insertion, TaskStoreError>, TaskStoreError>] =
            await writer.perform(tasks.map { .insert($0) })
        var results = written.map { $0.flatMap(\.self) }
        for (index, task) in tasks.enumerated() {
            guard case .failure(let error) = results[index], error.code == .diskFull else { continue }
            if let replay = await replayWithoutSpace(of: task) { results[index] = .success(replay) }
        }
        return results
    }

    /// Returns the result of a task whose key has been used: it adds nothing, so that a full disk is no reason to
    /// refuse it.
    private func replayWithoutSpace(of task: NewTask) async -> Insertion? {
        guard let claim = task.idempotency else { return nil }
        do throws(TaskStoreError) {
            return try await replay(of: claim, at: task.keysExpiredBy)
        } catch {
            // The caller gets the first failure.
            return nil
        }
    }

    package func update(_ update: TaskUpdate) async throws(TaskStoreError) -> UpdateOutcome {
        try await writer.perform(.update(update))
    }

    package func delete(
        _ id: TaskID, at now: Timestamp, because reason: DeletionReason
    ) async throws(TaskStoreError) -> Deletion? {
        try await writer.perform(.delete(id, at: now, because: reason))
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

    package func setSessionControlState(_ controlState: SessionControlState) async throws(TaskStoreError) {
        try await writer.perform(.controlState(controlState))
    }

    package func setUpstreamHold(_ hold: UpstreamHold) async throws(TaskStoreError) {
        try await writer.perform(.hold(hold))
    }

    package func setClock(_ clock: StoredClock) async throws(TaskStoreError) {
        try await writer.perform(.clock(clock))
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
        try await records.read { try TaskReading($0).task(id) }
    }

    package func lastChild(of parent: TaskID, kind: TaskKind) async throws(TaskStoreError) -> TaskRecord? {
        try await records.read { try TaskReading($0).lastChild(of: parent, kind: kind) }
    }

    package func tasks<Shown: Sendable>(
        _ query: TaskQuery, for reader: StoreReader, show: @escaping @Sendable (TaskPage) -> Shown
    ) async throws(TaskStoreError) -> Shown {
        try await pool(of: reader).read(
            isBegun: reader == .begunRequests, { try TaskReading($0).tasks(query) },
            then: { show(TaskPage(found: $0.tasks, isCut: $0.isCut, query: query)) })
    }

    package func identifiers(
        _ query: TaskQuery, for reader: StoreReader
    ) async throws(TaskStoreError) -> [TaskID] {
        let damaged = reader == .dispatcher ? self.damaged : nil
        return try await pool(of: reader).read(isBegun: reader == .begunRequests) {
            try TaskReading($0, leavingOut: damaged).identifiers(query)
        }
    }

    /// Reads for the dispatcher, without the tasks that have a damaged identifier.
    private func dispatched<Value: Sendable>(
        _ read: @escaping @Sendable (TaskReading) throws -> Value
    ) async throws(TaskStoreError) -> Value {
        try await dispatch.read { [damaged] in try read(TaskReading($0, leavingOut: damaged)) }
    }

    private func pool(of reader: StoreReader) -> ReaderPool {
        switch reader {
        case .clients, .begunRequests: lists
        case .dispatcher: dispatch
        }
    }

    package func counts(matching query: TaskQuery) async throws(TaskStoreError) -> [TaskState: Int] {
        if let counts = try await counts().matching(query) { return counts }
        return try await lists.read { try TaskReading($0).counts(matching: query) }
    }

    package func queued(
        session: String, after position: QueuePosition?, limit: Int
    ) async throws(TaskStoreError) -> [QueuePosition] {
        try await dispatched { try $0.queued(session: session, after: position, limit: limit) }
    }

    package func readyTimes(of ids: [TaskID]) async throws(TaskStoreError) -> [TaskID: Timestamp] {
        try await records.read { try TaskReading($0).readyTimes(of: ids) }
    }

    package func interrupted(after id: TaskID?, limit: Int) async throws(TaskStoreError) -> [TaskID] {
        try await dispatched { try $0.interrupted(after: id, limit: limit) }
    }

    package func pending(
        session: String, after id: TaskID?, limit: Int
    ) async throws(TaskStoreError) -> [TaskID] {
        try await dispatched { try $0.pending(session: session, after: id, limit: limit) }
    }

    package func expired(
        at now: Timestamp, after last: TaskMoment?, limit: Int
    ) async throws(TaskStoreError) -> [TaskMoment] {
        try await dispatched { try $0.expired(at: now, after: last, limit: limit) }
    }

    package func due(
        at now: Timestamp, after last: TaskMoment?, limit: Int
    ) async throws(TaskStoreError) -> [TaskMoment] {
        try await dispatched { try $0.due(at: now, after: last, limit: limit) }
    }

    package func overdue(
        at now: Timestamp, after last: TaskMoment?, limit: Int
    ) async throws(TaskStoreError) -> [TaskMoment] {
        try await dispatched { try $0.overdue(at: now, after: last, limit: limit) }
    }

    package func replay(
        of claim: IdempotencyClaim, at now: Timestamp
    ) async throws(TaskStoreError) -> Insertion? {
        try await records.read {
            try IdempotencyKeys.replay(of: claim, at: now, by: IdempotencyStatements.find(in: $0))
        }
    }

    package func finished(
        beyond kept: Int, after last: TaskMoment?, limit: Int
    ) async throws(TaskStoreError) -> [TaskMoment] {
        let counts = try await counts()
        let done = TaskState.allCases.filter(\.isTerminal).reduce(0) { $0 + counts[$1] }
        let excess = min(done - max(kept, 0), limit)
        guard excess > 0 else { return [] }
        return try await dispatched { try $0.finished(after: last, limit: excess) }
    }

    package func events(
        after id: Int64, task: TaskID?, limit: Int
    ) async throws(TaskStoreError) -> [StoredEvent] {
        try await replays.read { try EventReading($0).events(after: id, task: task, limit: limit) }
    }

    package func schedules() async throws(TaskStoreError) -> [ScheduleRecord] {
        try await records.read { try ScheduleRows($0).all() }
    }

    // MARK: Served by the writer without reading

    package func counts() async throws(TaskStoreError) -> TaskCounts {
        guard open.withLock({ $0 != nil }) else { throw .closed }
        return writer.counts
    }

    package var work: StoreWork { writer.work }

    package func eventBounds() async throws(TaskStoreError) -> EventBounds {
        guard open.withLock({ $0 != nil }) else { throw .closed }
        return writer.eventBounds
    }

    package func observeEvents(_ observer: @escaping @Sendable ([StoredEvent]) -> Void) {
        writer.observe(observer)
    }

    package func sessionControlStates() async throws(TaskStoreError) -> [SessionControlState] {
        try await records.read { try SessionReading($0).controlStates() }
    }

    package func upstreamHolds() async throws(TaskStoreError) -> [UpstreamHold] {
        try await records.read { try SessionReading($0).holds() }
    }

    package func clock() async throws(TaskStoreError) -> StoredClock {
        try await records.read { try ClockRow($0).clock() }
    }

    package func cookies(session: String) async throws(TaskStoreError) -> [StoredCookie] {
        try await records.read { try SessionReading($0).cookies(session) }
    }

    package func sessionsWithCookies() async throws(TaskStoreError) -> [String] {
        try await records.read { try SessionReading($0).sessionsWithCookies() }
    }

    package func close() async {
        await writer.close()
        await checkpointer.finish()
        for readers in [lists, records, replays, dispatch] { await readers.close() }
        guard let resources = open.withLock({ $0.take() }) else { return }
        await resources.close(leavingLog: checkpointer.leavesRest)
    }
}

/// The system resources of an open store.
private struct StoreResources: ~Copyable, Sendable {
    /// The connections in the order of closing.
    ///
    /// The last one moves the log into the database and removes it, unless it is left.
    let connections: [DatabaseQueue]
    let lock: StoreLock

    /// Closes the connections, then releases the lock.
    ///
    /// - Parameter leavingLog: True if the log stays as it is, for the next start.
    consuming func close(leavingLog: Bool) async {
        let connections = connections
        // Closing waits for the disk, which must not block a thread of the cooperative pool.
        await DispatchQueue(label: "errand.store.close").perform {
            for connection in connections {
                // SQLite knows this option since version 3.16, and does not refuse it.
                if leavingLog { connection.inDatabase { _ = csqlite_leave_log_on_close($0.sqliteConnection) } }
                do {
                    try connection.close()
                } catch {
                    // SQLite keeps a connection that is in use; it is closed with the store.
                    continue
                }
            }
        }
    }
}

extension SQLiteTaskStore {
    /// The version of SQLite.
    package static var libraryVersion: String {
        do {
            return try DatabaseQueue().inDatabase { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
                ?? "unknown"
        } catch {
            return "unknown"
        }
    }
}
