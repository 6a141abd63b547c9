import GRDB
import Locking
import TaskStore

/// Connections that read, each on a queue of its own, beside the writer.
///
/// A read sees the tasks as of its beginning. What comes while all connections are busy waits in one line and is taken
/// by the first that is free, without another change of threads.
final class ReaderPool: Sendable {
    private let connections: [DatabaseQueue]
    private let state: Mutex<State>

    private struct State {
        var idle: [Int]
        var waiting = Line()
        var isClosed = false
        var closing: CheckedContinuation<Void, Never>?
    }

    private typealias Job = @Sendable (Database) -> Void

    /// A first-in-first-out line that moves its items once in a while, not at each step.
    private struct Line {
        private var items: [Job?] = []
        private var head = 0

        mutating func append(_ job: @escaping Job) {
            items.append(job)
        }

        mutating func popFirst() -> Job? {
            guard head < items.count else { return nil }
            let job = items[head]
            items[head] = nil
            head += 1
            if head == items.count {
                items.removeAll(keepingCapacity: true)
                head = 0
            } else if head >= 1024, head * 2 > items.count {
                items.removeFirst(head)
                head = 0
            }
            return job
        }
    }

    /// Takes over connections, at least one.
    init(_ connections: [DatabaseQueue]) {
        self.connections = connections
        state = Mutex(State(idle: Array(connections.indices)))
    }

    /// Reads in one snapshot.
    func read<Value: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Value
    ) async throws(TaskStoreError) -> Value {
        let result: Result<Value, TaskStoreError> = await withCheckedContinuation { continuation in
            submit(
                refused: { continuation.resume(returning: .failure(.closed)) },
                job: { db in
                    continuation.resume(returning: Self.snapshot(db, work))
                })
        }
        return try result.get()
    }

    /// Lets nothing more in, finishes what is there, and returns when no connection is in use.
    func close() async {
        await withCheckedContinuation { continuation in
            let isQuiet = state.withLock { state in
                state.isClosed = true
                if state.idle.count == connections.count { return true }
                state.closing = continuation
                return false
            }
            if isQuiet { continuation.resume() }
        }
    }

    private func submit(refused: () -> Void, job: @escaping Job) {
        enum Admission {
            case refused
            case waits
            case runs(Int)
        }
        let admission = state.withLock { state -> Admission in
            if state.isClosed { return .refused }
            if let reader = state.idle.popLast() { return .runs(reader) }
            state.waiting.append(job)
            return .waits
        }
        switch admission {
        case .refused: refused()
        case .waits: break
        case .runs(let reader): connections[reader].asyncWriteWithoutTransaction { self.run(job, reader, $0) }
        }
    }

    // MARK: On a reader's queue

    private func run(_ first: @escaping Job, _ reader: Int, _ db: Database) {
        var next: Job? = first
        while let job = next {
            job(db)
            next = state.withLock { state in
                if let job = state.waiting.popFirst() { return job }
                state.idle.append(reader)
                return nil
            }
        }
        let closing = state.withLock { state in
            state.idle.count == connections.count ? state.closing.take() : nil
        }
        closing?.resume()
    }

    private static func snapshot<Value>(
        _ db: Database, _ work: (Database) throws -> Value
    ) -> Result<Value, TaskStoreError> {
        do {
            var value: Value?
            try db.inTransaction(.deferred) {
                value = try work(db)
                return .commit
            }
            guard let value else { throw TaskStoreError(.unexpected, "The task store read nothing") }
            return .success(value)
        } catch {
            return .failure(TaskStoreError(error))
        }
    }
}
