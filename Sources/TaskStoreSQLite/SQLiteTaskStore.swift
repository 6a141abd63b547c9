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

    package func insert(_ record: TaskRecord) async throws(TaskStoreError) {
        _ = try await writer.perform(.insert(record))
    }

    package func update(_ record: TaskRecord, expecting expected: Int64) async throws(TaskStoreError) -> Bool {
        try await writer.perform(.update(record, expecting: expected))
    }

    package func delete(_ id: TaskID) async throws(TaskStoreError) -> Bool {
        try await writer.perform(.delete(id))
    }

    package func task(_ id: TaskID) async throws(TaskStoreError) -> TaskRecord? {
        try await readers.read { try TaskReading($0).task(id) }
    }

    package func tasks(_ query: TaskQuery) async throws(TaskStoreError) -> TaskPage {
        TaskPage(found: try await readers.read { try TaskReading($0).tasks(query) }, query: query)
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

    package func counts() async throws(TaskStoreError) -> TaskCounts {
        guard open.withLock({ $0 != nil }) else { throw .closed }
        return writer.counts
    }

    package func sessionMarks() async throws(TaskStoreError) -> [SessionMark] {
        try await readers.read { try SessionReading($0).marks() }
    }

    package func setSessionMark(_ mark: SessionMark) async throws(TaskStoreError) {
        _ = try await writer.perform(.mark(mark))
    }

    package func cookies(session: String) async throws(TaskStoreError) -> [StoredCookie] {
        try await readers.read { try SessionReading($0).cookies(session) }
    }

    package func update(cookies changes: [StoredCookieChange], session: String) async throws(TaskStoreError) {
        _ = try await writer.perform(.cookies(changes, session: session))
    }

    package func checkWritable() async throws(TaskStoreError) {
        _ = try await writer.perform(.probe)
        if let failure = checkpointer.failure { throw failure }
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
