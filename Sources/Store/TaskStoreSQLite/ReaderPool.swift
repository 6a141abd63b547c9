import Dispatch
import ErrandLocking
import ErrandTaskStore
import GRDB

/// A pool of connections that read, each on its own queue, concurrently with the writer.
///
/// A read sees the tasks as of its beginning. Reads that arrive while all connections are busy wait in one queue, and
/// the first free connection takes the next one without another change of threads. With ``Limits`` a read ends if its
/// calling task is canceled or its time is over; both interrupt the running statement on this connection only.
final class ReaderPool: Sendable {
    private let connections: [DatabaseQueue]
    private let limits: Limits?
    private let state: Mutex<State>

    /// The limits of reads in a pool.
    struct Limits: Sendable {
        /// The longest time of a read, including its time in the queue unless its request has begun.
        var timeout: Duration
        /// The most reads that wait for a connection, apart from those of begun requests.
        var maxWaiting: Int
    }

    private struct State {
        var idle: [Int]
        var line = ReadLine()
        /// The current read of each connection.
        var running: [Running?]
        var lastNumber = 0
        var isWatched = false
        /// Called once no connection is in use.
        ///
        /// No read begins until ``ReaderPool/release()``.
        var quiescence: Quiescence?
        var isClosed = false
        var closing: Continuation<Void>?
    }

    private struct Running {
        let number: Int
        let deadline: ContinuousClock.Instant?
        /// The reason for the interruption.
        var interruption: TaskStoreError?
    }

    private struct Quiescence {
        let isQuiet: @Sendable () -> Void
        var isTold = false
    }

    /// Takes ownership of connections, at least one.
    init(_ connections: [DatabaseQueue], limits: Limits? = nil) {
        self.connections = connections
        self.limits = limits
        state = Mutex(
            State(idle: Array(connections.indices), running: Array(repeating: nil, count: connections.count)))
    }

    /// Reads in one snapshot.
    ///
    /// - Parameters:
    ///   - isBegun: True if the read belongs to a request whose response has begun. It is never refused.
    ///   - work: Reads, on the queue of a connection.
    ///   - then: Converts what was read, after the end of the snapshot and before the next read of the connection.
    /// - Throws: With limits also ``TaskStoreError/Code/tooManyReads``, ``TaskStoreError/Code/timedOut`` and, if the
    ///   calling task was canceled, ``TaskStoreError/Code/canceled``.
    func read<Found, Value: Sendable>(
        isBegun: Bool = false, _ work: @escaping @Sendable (Database) throws -> Found,
        then: @escaping @Sendable (Found) -> Value
    ) async throws(TaskStoreError) -> Value {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let result: Result<Value, TaskStoreError>
        if limits == nil {
            result = await withContinuation {
                submit(job(number, isBegun: isBegun, resuming: $0, work: work, then: then))
            }
        } else {
            result = await withTaskCancellationHandler {
                await withContinuation { continuation in
                    submit(job(number, isBegun: isBegun, resuming: continuation, work: work, then: then))
                    // A cancellation before the submission found no read to end.
                    if Task.isCancelled { interrupt(number, because: .canceled) }
                }
            } onCancel: {
                interrupt(number, because: .canceled)
            }
        }
        return try result.get()
    }

    /// Reads in one snapshot.
    func read<Value: Sendable>(
        isBegun: Bool = false, _ work: @escaping @Sendable (Database) throws -> Value
    ) async throws(TaskStoreError) -> Value {
        try await read(isBegun: isBegun, work, then: { $0 })
    }

    private func job<Found, Value: Sendable>(
        _ number: Int, isBegun: Bool, resuming continuation: Continuation<Result<Value, TaskStoreError>>,
        work: @escaping @Sendable (Database) throws -> Found, then: @escaping @Sendable (Found) -> Value
    ) -> ReadLine.Job {
        ReadLine.Job(
            number: number, isBegun: isBegun, deadline: isBegun ? nil : deadline(),
            run: { db, reader in
                continuation.resume(returning: self.snapshot(of: db, reader: reader, work: work).map(then))
            },
            fail: { continuation.resume(returning: .failure($0)) })
    }

    /// Returns the time at which a read that begins now must have ended.
    private func deadline() -> ContinuousClock.Instant? {
        limits.map { .now.advanced(by: $0.timeout) }
    }

    /// Refuses new reads, finishes the submitted ones, and returns once no connection is in use.
    func close() async {
        release()
        await withContinuation { continuation in
            let isQuiet = state.withLock { state in
                state.isClosed = true
                if state.idle.count == connections.count { return true }
                state.closing = continuation
                return false
            }
            if isQuiet { continuation.resume() }
        }
    }

    // MARK: Quiescence

    /// Pauses reads until ``release()``, and calls `isQuiet` as soon as none is running.
    ///
    /// Reads that arrive meanwhile wait.
    func quiesce(_ isQuiet: @escaping @Sendable () -> Void) {
        let action = state.withLock { state -> Quiescence? in
            guard !state.isClosed else { return Quiescence(isQuiet: isQuiet) }
            state.quiescence = Quiescence(isQuiet: isQuiet)
            return takeQuiet(&state)
        }
        action?.isQuiet()
    }

    /// Resumes the waiting reads.
    func release() {
        let starts = state.withLock { state in
            state.quiescence = nil
            var starts: [(reader: Int, job: ReadLine.Job)] = []
            while let reader = state.idle.last, let job = state.line.popFirst() {
                state.idle.removeLast()
                begin(job, on: reader, in: &state)
                starts.append((reader, job))
            }
            return starts
        }
        for start in starts { dispatch(start.job, to: start.reader) }
    }

    private func takeQuiet(_ state: inout State) -> Quiescence? {
        guard let quiescence = state.quiescence, !quiescence.isTold, state.idle.count == connections.count else {
            return nil
        }
        state.quiescence?.isTold = true
        return quiescence
    }

    // MARK: Submitting

    private enum Admission {
        case refused(TaskStoreError)
        case waits
        case runs(Int)
    }

    private func submit(_ job: ReadLine.Job) {
        var watches = false
        let admission = state.withLock { state -> Admission in
            if state.isClosed { return .refused(.closed) }
            if state.quiescence == nil, let reader = state.idle.popLast() {
                begin(job, on: reader, in: &state)
                watches = watch(&state)
                return .runs(reader)
            }
            if let limits, !job.isBegun, state.line.countToBegin >= limits.maxWaiting { return .refused(.tooManyReads) }
            state.line.append(job)
            watches = watch(&state)
            return .waits
        }
        switch admission {
        case .refused(let error): job.fail(error)
        case .waits: break
        case .runs(let reader): dispatch(job, to: reader)
        }
        if watches { watchLater() }
    }

    private func begin(_ job: ReadLine.Job, on reader: Int, in state: inout State) {
        state.running[reader] = Running(number: job.number, deadline: job.deadline ?? deadline())
    }

    private func dispatch(_ job: ReadLine.Job, to reader: Int) {
        connections[reader].asyncWriteWithoutTransaction { self.run(job, on: reader, in: $0) }
    }

    // MARK: Ending early

    /// Ends a waiting or running read; no-op if it is finished.
    private func interrupt(_ number: Int, because reason: TaskStoreError) {
        let job = state.withLock { state -> ReadLine.Job? in
            if let job = state.line.remove(number) { return job }
            for reader in state.running.indices where state.running[reader]?.number == number {
                interrupt(reader: reader, because: reason, in: &state)
            }
            return nil
        }
        job?.fail(reason)
    }

    /// Interrupts a running read.
    ///
    /// The lock prevents that the connection already runs another read.
    private func interrupt(reader: Int, because reason: TaskStoreError, in state: inout State) {
        guard state.running[reader]?.interruption == nil else { return }
        state.running[reader]?.interruption = reason
        connections[reader].interrupt()
    }

    private static let watchQueue = DispatchQueue(label: "errand.store.read-timeouts")

    /// Returns true if the caller must schedule a check of the reads.
    private func watch(_ state: inout State) -> Bool {
        guard limits != nil, !state.isWatched else { return false }
        state.isWatched = true
        return true
    }

    /// Schedules a check of the reads: one timer for all of them, and none while there are no reads.
    private func watchLater() {
        guard let limits else { return }
        let pause = limits.timeout / .seconds(4)
        Self.watchQueue.asyncAfter(deadline: .now() + pause) { [weak self] in self?.endOverdue() }
    }

    private func endOverdue() {
        let now = ContinuousClock.now
        let (overdue, goesOn) = state.withLock { state in
            for reader in state.running.indices {
                if let deadline = state.running[reader]?.deadline, deadline <= now {
                    interrupt(reader: reader, because: .readTimedOut, in: &state)
                }
            }
            let overdue = state.line.removeAll { $0.deadline.map { $0 <= now } ?? false }
            state.isWatched = state.line.count > 0 || state.running.contains { $0 != nil }
            return (overdue, state.isWatched)
        }
        for job in overdue { job.fail(.readTimedOut) }
        if goesOn { watchLater() }
    }

    // MARK: On a reader's queue

    private func run(_ first: ReadLine.Job, on reader: Int, in db: Database) {
        var next: ReadLine.Job? = first
        while let job = next {
            job.run(db, reader)
            next = state.withLock { state in
                if state.quiescence == nil, let job = state.line.popFirst() {
                    begin(job, on: reader, in: &state)
                    return job
                }
                state.running[reader] = nil
                state.idle.append(reader)
                return nil
            }
        }
        let (quiescence, closing) = state.withLock { state in
            (takeQuiet(&state), state.idle.count == connections.count ? state.closing.take() : nil)
        }
        quiescence?.isQuiet()
        closing?.resume()
    }

    private func snapshot<Value>(
        of db: Database, reader: Int, work: (Database) throws -> Value
    ) -> Result<Value, TaskStoreError> {
        do {
            var value: Value?
            try db.inTransaction(.deferred) {
                value = limits == nil ? try work(db) : try interruptible(db, reader: reader, work: work)
                return .commit
            }
            guard let value else { throw TaskStoreError(.unexpected, "The task store read nothing") }
            return .success(value)
        } catch {
            // An interruption may also have hit the beginning of the transaction.
            let interruption = state.withLock { $0.running[reader]?.interruption }
            return .failure(interruption ?? TaskStoreError(error))
        }
    }

    /// Reads so that an interruption between two statements is not lost.
    ///
    /// SQLite forgets an interruption if no statement is active. A statement that has started and not finished keeps it
    /// active for all statements that start before it ends (`sqlite3_interrupt`).
    private func interruptible<Value>(
        _ db: Database, reader: Int, work: (Database) throws -> Value
    ) throws -> Value {
        let open = try Row.fetchCursor(db.cachedStatement(sql: "SELECT 1 UNION ALL SELECT 2"))
        defer { withExtendedLifetime(open) {} }
        _ = try open.next()
        if let reason = state.withLock({ $0.running[reader]?.interruption }) { throw reason }
        let result = Result { try work(db) }
        // A later interruption must not affect the end of the transaction.
        let reason = state.withLock { state in
            defer { state.running[reader] = nil }
            return state.running[reader]?.interruption
        }
        if let reason { throw reason }
        return try result.get()
    }
}
