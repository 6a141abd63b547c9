import ErrandLocking
import ErrandLogs
import ErrandTaskStore
import ErrandTime
import GRDB
import Logging

/// The only connection that writes, on its own queue, which groups writes.
///
/// Writes that arrive during a transaction share the next one, in the order of arrival, and so share the cost of a
/// sync. Each caller gets the result of its own operation after the commit.
final class StoreWriter: Sendable {
    /// The database, whose serial queue runs one operation at a time and never on the cooperative pool.
    private let database: DatabaseQueue
    private let checkpointer: Checkpointer
    private let probe: SpaceProbe
    private let queue: Mutex<WriteQueue<any WriteJob>>
    private let committed: Mutex<Committed>
    private let observer = Mutex<Observer?>(nil)
    private let logger: Logger

    // Used only on the database's queue, and in `init` before the queue has any work.
    nonisolated(unsafe) private var statements: WriteStatements?
    nonisolated(unsafe) private var room: DiskRoom
    nonisolated(unsafe) private var slowCommits = SlowCommits()
    nonisolated(unsafe) private let appends: LogAppends
    // Used only on the database's queue: the frames that the commits of the present batch have appended, about.
    nonisolated(unsafe) private var appendedFrames = 0

    /// Receives the events of each commit.
    ///
    /// A closure stored directly in a generic type would be wrapped again at each access, which slows down every
    /// commit.
    private struct Observer {
        let commitDidWrite: @Sendable ([StoredEvent]) -> Void
    }

    /// The state after the last commit, available without reading.
    private struct Committed {
        var counts: TaskCounts
        var bounds: EventBounds
        var work = StoreWork()
        var batch = RunningBatch()
    }

    /// Takes ownership of a connection with existing tables.
    ///
    /// Blocks until the rows are counted.
    ///
    /// - Parameters:
    ///   - ballast: The reserved space for deletions.
    ///   - time: The time of the opening, which the numbers of events follow; `nil` to continue after the newest event.
    ///   - logger: Logs warnings about slow transactions.
    init(
        _ database: DatabaseQueue, checkpointer: Checkpointer, ballast: Ballast, openedAt time: Timestamp? = nil,
        logger: Logger = .discarding
    ) throws {
        self.database = database
        self.checkpointer = checkpointer
        probe = SpaceProbe(database: database.path)
        self.logger = logger
        room = DiskRoom(ballast, checkpointer: checkpointer)
        queue = Mutex(WriteQueue())
        committed = Mutex(
            try database.inDatabase {
                Committed(
                    counts: try TaskReading($0).counts(), bounds: try EventReading($0).bounds().opened(at: time))
            })
        statements = try database.inDatabase { try WriteStatements($0) }
        appends = database.inDatabase { LogAppends($0) }
    }

    /// The number of tasks as of the last commit.
    ///
    /// May be used on any thread.
    var counts: TaskCounts {
        committed.withLock { $0.counts }
    }

    /// The range of events as of the last commit.
    ///
    /// May be used on any thread.
    var eventBounds: EventBounds {
        committed.withLock { $0.bounds }
    }

    /// The work since the store was opened.
    ///
    /// May be used on any thread.
    var work: StoreWork {
        let now = ContinuousClock.now
        var work = committed.withLock { committed in
            var work = committed.work
            work.transactionAge = committed.batch.age(at: now)
            return work
        }
        work.waitingOperations = waitingCount
        work.logBytes = checkpointer.logBytes
        return work
    }

    /// Passes the events of each further commit to `observer`, on the writer's queue.
    func observe(_ observer: @escaping @Sendable ([StoredEvent]) -> Void) {
        self.observer.withLock { $0 = Observer(commitDidWrite: observer) }
    }

    /// The number of operations that wait for a transaction.
    ///
    /// May be used on any thread.
    var waitingCount: Int {
        queue.withLock { $0.count }
    }

    /// Performs a write, and returns once it is durable.
    func perform<Value>(_ operation: WriteOperation<Value>) async throws(TaskStoreError) -> Value {
        try await result(of: operation).get()
    }

    /// Performs several independent writes in sequence, and returns once each is durable or refused.
    func perform<Value>(_ operations: [WriteOperation<Value>]) async -> [Result<Value, TaskStoreError>] {
        guard let first = operations.first else { return [] }
        guard operations.count > 1 else { return [await result(of: first)] }
        return await withContinuation { continuation in
            let gathering = Gathering(operations.count) { continuation.resume(returning: $0) }
            submit(
                operations.enumerated().map { index, operation -> any WriteJob in
                    OperationJob(operation) { gathering.add($0, at: index) }
                })
        }
    }

    private func result<Value>(of operation: WriteOperation<Value>) async -> Result<Value, TaskStoreError> {
        await withContinuation { continuation in
            submit(CollectionOfOne<any WriteJob>(OperationJob(operation) { continuation.resume(returning: $0) }))
        }
    }

    private func submit(_ jobs: some Collection<any WriteJob> & Sendable) {
        switch queue.withLock({ $0.submit(contentsOf: jobs) }) {
        case .waits: reportHang()
        case .starts: database.asyncWriteWithoutTransaction { db in self.drain(db) }
        case .refused:
            for job in jobs { job.fail(.closed) }
        }
    }

    /// Logs, once for each batch, that operations wait for one that takes very long.
    private func reportHang() {
        let now = ContinuousClock.now
        guard let age = committed.withLock({ $0.batch.report(at: now) }) else { return }
        logger.error(
            "The store does not answer: creates and the ends of tasks wait for a transaction that has not ended",
            metadata: [
                "transaction_ms": .stringConvertible(age.wholeMilliseconds),
                "waiting_operations": .stringConvertible(waitingCount),
            ])
    }

    /// Refuses new operations, finishes the submitted ones, and closes the connection.
    func close() async {
        guard queue.withLock({ $0.close() }) else { return }
        await withContinuation { continuation in
            // The queue is serial, so this runs after the last batch.
            database.asyncWriteWithoutTransaction { db in
                self.drain(db)
                // A connection cannot be closed while it has statements.
                self.statements = nil
                self.appends.stop(db)
                continuation.resume()
            }
        }
    }

    // MARK: On the queue

    private func drain(_ db: Database) {
        defer { committed.withLock { $0.batch.end() } }
        while let batch = queue.withLock({ $0.takeBatch() }) {
            let now = ContinuousClock.now
            committed.withLock { $0.batch.begin(at: now) }
            let jobs = admitted(batch, db)
            checkpointer.willWrite()
            appendedFrames = 0
            commit(jobs, db)
            checkpointer.didWrite(frames: appendedFrames, db)
        }
    }

    /// Refuses additions, and questions about them, while there is no space for additions.
    private func admitted(_ jobs: [any WriteJob], _ db: Database) -> [any WriteJob] {
        var frames: Int?
        for job in jobs where job.effect.needsSpace {
            frames = (frames ?? 0) + max(job.frames - Self.sharedFrames, 0)
        }
        guard let frames else { return jobs }
        let isRefused: (any WriteJob) -> Bool
        if room.refusesAdditions(frames: frames, db) {
            isRefused = { $0.effect.needsSpace }
        } else if jobs.contains(where: { $0.effect == .asks }), room.expectsNoSpace {
            isRefused = { $0.effect == .asks }
        } else {
            return jobs
        }
        let refused = jobs.filter(isRefused)
        committed.withLock { $0.work.didFail(operations: refused.count) }
        for job in refused { job.fail(Self.noRoom) }
        return jobs.filter { !isRefused($0) }
    }

    /// The frames of an addition that additions of the same transaction share: the pages of the trees that they modify.
    private static let sharedFrames = 10

    private static let noRoom = TaskStoreError(
        .diskFull, "The disk is full; additions are refused until there is free space")

    /// Commits operations together, and informs their callers.
    ///
    /// If one operation fails, nothing is written. Each is then repeated in its own transaction, so that it cannot
    /// affect the others. A failed commit fails all of them. On a full disk those that free space are repeated with the
    /// reserved space, and then the others that add no task; as many succeed as fit.
    private func commit(_ jobs: [any WriteJob], _ db: Database, mayMakeRoom: Bool = true) {
        guard !jobs.isEmpty else { return }
        do {
            // A repeated creation adds nothing, and needs no space.
            if try transaction(jobs, db), jobs.contains(where: { $0.effect == .adds }) {
                room.additionsEnded(foundSpace: true)
            }
            for job in jobs { job.succeed() }
        } catch is OperationFailure where jobs.count > 1 {
            for job in jobs { commit([job], db, mayMakeRoom: mayMakeRoom) }
        } catch {
            let reason = (error as? OperationFailure)?.reason ?? Self.reason(of: error, probe)
            let removes = jobs.contains { $0.effect == .removes }
            if reason.code == .diskFull, !mayMakeRoom, jobs.count > 1 {
                // Part of them may fit.
                commit(Array(jobs.prefix(jobs.count / 2)), db, mayMakeRoom: false)
                return commit(Array(jobs.dropFirst(jobs.count / 2)), db, mayMakeRoom: false)
            }
            guard reason.code == .diskFull, mayMakeRoom, room.make(for: removes ? .removes : .changes, db) else {
                return fail(jobs, reason)
            }
            guard removes else { return commit(jobs, db, mayMakeRoom: false) }
            fail(jobs.filter(\.effect.needsSpace), reason)
            commit(jobs.filter { $0.effect == .removes }, db, mayMakeRoom: false)
            commit(jobs.filter { $0.effect == .changes }, db, mayMakeRoom: false)
        }
    }

    /// Returns the reason of a commit that failed, which is none of one task alone.
    private static func reason(of error: any Error, _ probe: SpaceProbe) -> TaskStoreError {
        var reason = TaskStoreError(error, probe: probe)
        if reason.isOfOneTask { reason.code = .inputOutput }
        return reason
    }

    /// Informs the callers of operations that failed.
    private func fail(_ jobs: [any WriteJob], _ reason: TaskStoreError) {
        if reason.code == .diskFull, jobs.contains(where: { $0.effect == .adds }) {
            room.additionsEnded(foundSpace: false)
        }
        committed.withLock { $0.work.didFail(operations: jobs.count) }
        for job in jobs { job.fail(reason) }
    }

    /// Performs operations in one transaction.
    ///
    /// - Returns: True if the transaction has appended to the log.
    private func transaction(_ jobs: [any WriteJob], _ db: Database) throws -> Bool {
        let statements = try self.statements ?? WriteStatements(db)
        // The statements are kept for the next transaction only if this one succeeds.
        self.statements = nil
        var writing = TaskWriting(db, statements, bounds: eventBounds, operations: jobs.count)
        let (begin, appendsBefore) = (ContinuousClock.now, appends.count)
        try statements.inTransaction(db) {
            for job in jobs {
                do {
                    try job.perform(&writing)
                } catch {
                    throw OperationFailure(reason: TaskStoreError(error, probe: probe))
                }
            }
        }
        self.statements = statements
        let hasAppended = appends.count > appendsBefore
        if hasAppended { appendedFrames += jobs.reduce(0) { $0 + $1.frames } }
        let end = ContinuousClock.now
        let duration = begin.duration(to: end)
        if let report = slowCommits.note(duration, at: end) { log(report) }
        committed.withLock { committed in
            for change in writing.changes {
                committed.counts.add(
                    change.by, session: change.session, state: change.state, kind: change.kind)
            }
            committed.bounds = writing.events.bounds
            committed.work.didCommit(operations: jobs.count, in: duration)
        }
        if !writing.events.events.isEmpty { observer.withLock { $0 }?.commitDidWrite(writing.events.events) }
        return hasAppended
    }

    private func log(_ report: SlowCommits.Report) {
        logger.warning(
            "The store is slow: creates and the ends of tasks wait for its transactions",
            metadata: [
                "transactions": .stringConvertible(report.count),
                "longest_ms": .stringConvertible(report.longest.wholeMilliseconds),
                "waiting_operations": .stringConvertible(waitingCount),
            ])
    }

    /// A failure of an operation before the commit.
    private struct OperationFailure: Error {
        let reason: TaskStoreError
    }
}
