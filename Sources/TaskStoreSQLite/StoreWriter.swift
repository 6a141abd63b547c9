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
    private let counted: Mutex<TaskCounts>

    // Touched on the database's queue only, and in `init` before there is anything on it.
    nonisolated(unsafe) private var statements: WriteStatements?

    private struct Job: Sendable {
        let operation: WriteOperation
        let continuation: CheckedContinuation<Result<Bool, TaskStoreError>, Never>
    }

    /// Takes over a connection whose tables are there.
    ///
    /// Blocks for as long as it takes to count what they hold.
    init(_ database: DatabaseQueue, checkpointer: Checkpointer) throws {
        self.database = database
        self.checkpointer = checkpointer
        queue = Mutex(WriteQueue())
        counted = Mutex(try database.inDatabase { try TaskReading($0).counts() })
        statements = try database.inDatabase { try WriteStatements($0) }
    }

    /// How many tasks there are, as of the last commit.
    ///
    /// Any thread.
    var counts: TaskCounts {
        counted.withLock { $0 }
    }

    /// How many operations wait for a transaction.
    ///
    /// Any thread.
    var waitingCount: Int {
        queue.withLock { $0.count }
    }

    /// Writes, and returns when that is durable.
    ///
    /// - Returns: Whether there was something to change.
    func perform(_ operation: WriteOperation) async throws(TaskStoreError) -> Bool {
        let result = await withCheckedContinuation { continuation in
            let job = Job(operation: operation, continuation: continuation)
            switch queue.withLock({ $0.submit(job) }) {
            case .waits: break
            case .starts: database.asyncWriteWithoutTransaction { db in self.drain(db) }
            case .refused: continuation.resume(returning: .failure(.closed))
            }
        }
        return try result.get()
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
            let results = commit(batch.map(\.operation), db)
            for (job, result) in zip(batch, results) {
                job.continuation.resume(returning: result)
            }
            checkpointer.didWrite(frames: batch.reduce(0) { $0 + $1.operation.frames }, db)
        }
    }

    /// Commits operations together.
    ///
    /// When one of them fails for another reason than what it asks for, none was written: each is then tried in a
    /// transaction of its own, so that it cannot take its neighbours with it. A commit that fails has failed all.
    private func commit(_ operations: [WriteOperation], _ db: Database) -> [Result<Bool, TaskStoreError>] {
        do {
            return try transaction(operations, db)
        } catch is OperationFailure where operations.count > 1 {
            return operations.map { operation in
                do {
                    return try transaction([operation], db)[0]
                } catch {
                    return .failure(OperationFailure.reason(of: error))
                }
            }
        } catch {
            return operations.map { _ in .failure(OperationFailure.reason(of: error)) }
        }
    }

    private func transaction(
        _ operations: [WriteOperation], _ db: Database
    ) throws -> [Result<Bool, TaskStoreError>] {
        var results: [Result<Bool, TaskStoreError>] = []
        results.reserveCapacity(operations.count)
        let statements = try self.statements ?? WriteStatements(db)
        // Kept for the next transaction only if this one goes well.
        self.statements = nil
        var writing = TaskWriting(db, statements)
        try db.inTransaction(.immediate) {
            for operation in operations {
                do {
                    results.append(.success(try writing.perform(operation)))
                } catch let error as TaskStoreError where error.code == .exists {
                    // Nothing of it was written.
                    results.append(.failure(error))
                } catch {
                    throw OperationFailure(reason: TaskStoreError(error))
                }
            }
            return .commit
        }
        self.statements = statements
        counted.withLock { counts in
            for change in writing.changes {
                counts.add(change.by, session: change.session, state: change.state)
            }
        }
        return results
    }

    /// An operation failed before the commit.
    private struct OperationFailure: Error {
        let reason: TaskStoreError

        static func reason(of error: any Error) -> TaskStoreError {
            (error as? OperationFailure)?.reason ?? TaskStoreError(error)
        }
    }
}
