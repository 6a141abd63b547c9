import GRDB
import Locking
import TaskStore

/// The one connection that writes, on a queue of its own, where writes are grouped.
///
/// What arrives while a transaction runs goes into the next one together, in the order of arrival, so that the price
/// of a sync is shared. Each caller learns of its own operation after the commit.
final class StoreWriter: Sendable {
    /// A serial queue is its thread: it runs one thing at a time and never on the cooperative pool.
    private let database: DatabaseQueue
    private let checkpointer: Checkpointer
    private let queue: Mutex<WriteQueue<Job>>
    private let committed: Mutex<Committed>
    private let observer = Mutex<(@Sendable ([StoredEvent]) -> Void)?>(nil)

    // Touched on the database's queue only, and in `init` before there is anything on it.
    nonisolated(unsafe) private var statements: WriteStatements?

    /// What the last commit has left, known without reading.
    private struct Committed {
        var counts: TaskCounts
        var bounds: EventBounds
    }

    /// An operation and who waits for it.
    private struct Job: Sendable {
        let frames: Int
        /// Does it, and gives what tells the caller after the commit.
        let perform: @Sendable (inout TaskWriting) throws -> @Sendable () -> Void
        /// Tells the caller that it was not done.
        let fail: @Sendable (TaskStoreError) -> Void

        init<Value>(
            _ operation: WriteOperation<Value>,
            _ finish: @escaping @Sendable (Result<Value, TaskStoreError>) -> Void
        ) {
            frames = operation.frames
            perform = { writing in
                let value = try operation.perform(&writing)
                return { finish(.success(value)) }
            }
            fail = { finish(.failure($0)) }
        }
    }

    /// Takes over a connection whose tables are there.
    ///
    /// Blocks for as long as it takes to count what they hold.
    init(_ database: DatabaseQueue, checkpointer: Checkpointer) throws {
        self.database = database
        self.checkpointer = checkpointer
        queue = Mutex(WriteQueue())
        committed = Mutex(
            try database.inDatabase {
                Committed(counts: try TaskReading($0).counts(), bounds: try EventReading($0).bounds())
            })
        statements = try database.inDatabase { try WriteStatements($0) }
    }

    /// How many tasks there are, as of the last commit.
    ///
    /// Any thread.
    var counts: TaskCounts {
        committed.withLock { $0.counts }
    }

    /// Which events there are, as of the last commit.
    ///
    /// Any thread.
    var eventBounds: EventBounds {
        committed.withLock { $0.bounds }
    }

    /// Has the events of each commit given to `observer` from now on, on the writer's queue.
    func observe(_ observer: @escaping @Sendable ([StoredEvent]) -> Void) {
        self.observer.withLock { $0 = observer }
    }

    /// How many operations wait for a transaction.
    ///
    /// Any thread.
    var waitingCount: Int {
        queue.withLock { $0.count }
    }

    /// Writes, and returns when that is durable.
    func perform<Value>(_ operation: WriteOperation<Value>) async throws(TaskStoreError) -> Value {
        let result: Result<Value, TaskStoreError> = await withCheckedContinuation { continuation in
            submit([Job(operation) { continuation.resume(returning: $0) }])
        }
        return try result.get()
    }

    /// Writes several things next to each other, each by itself, and returns when all are durable or refused.
    func perform<Value>(_ operations: [WriteOperation<Value>]) async -> [Result<Value, TaskStoreError>] {
        guard !operations.isEmpty else { return [] }
        return await withCheckedContinuation { continuation in
            let gathering = Gathering(operations.count) { continuation.resume(returning: $0) }
            submit(operations.enumerated().map { index, operation in Job(operation) { gathering.add($0, at: index) } })
        }
    }

    private func submit(_ jobs: [Job]) {
        switch queue.withLock({ $0.submit(contentsOf: jobs) }) {
        case .waits: break
        case .starts: database.asyncWriteWithoutTransaction { db in self.drain(db) }
        case .refused:
            for job in jobs { job.fail(.closed) }
        }
    }

    /// Lets nothing more in, finishes what is there, and closes the connection.
    func close() async {
        guard queue.withLock({ $0.close() }) else { return }
        await withCheckedContinuation { continuation in
            // Behind the last turn, because the queue is serial.
            database.asyncWriteWithoutTransaction { db in
                self.drain(db)
                // A connection cannot be closed under its statements.
                self.statements = nil
                continuation.resume()
            }
        }
    }

    // MARK: On the queue

    private func drain(_ db: Database) {
        while let batch = queue.withLock({ $0.takeBatch() }) {
            commit(batch, db)
            checkpointer.didWrite(frames: batch.reduce(0) { $0 + $1.frames }, db)
        }
    }

    /// Commits operations together, and tells their callers.
    ///
    /// When one of them fails, none was written: each is then tried in a transaction of its own, so that it cannot take
    /// its neighbours with it. A commit that fails has failed all.
    private func commit(_ jobs: [Job], _ db: Database) {
        do {
            for tell in try transaction(jobs, db) { tell() }
        } catch is OperationFailure where jobs.count > 1 {
            for job in jobs { commit([job], db) }
        } catch {
            let reason = (error as? OperationFailure)?.reason ?? TaskStoreError(error)
            for job in jobs { job.fail(reason) }
        }
    }

    private func transaction(_ jobs: [Job], _ db: Database) throws -> [@Sendable () -> Void] {
        var results: [@Sendable () -> Void] = []
        results.reserveCapacity(jobs.count)
        let statements = try self.statements ?? WriteStatements(db)
        // Kept for the next transaction only if this one goes well.
        self.statements = nil
        var writing = TaskWriting(db, statements, bounds: eventBounds)
        try db.inTransaction(.immediate) {
            for job in jobs {
                do {
                    results.append(try job.perform(&writing))
                } catch {
                    throw OperationFailure(reason: TaskStoreError(error))
                }
            }
            return .commit
        }
        self.statements = statements
        committed.withLock { committed in
            for change in writing.changes {
                committed.counts.add(change.by, session: change.session, state: change.state)
            }
            committed.bounds = writing.events.bounds
        }
        if !writing.events.events.isEmpty { observer.withLock { $0 }?(writing.events.events) }
        return results
    }

    /// An operation failed before the commit.
    private struct OperationFailure: Error {
        let reason: TaskStoreError
    }
}
