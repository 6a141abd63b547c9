import FoundationEssentials
import GRDB
import TaskStore

/// The operations of a transaction, and what they change in the counts.
struct TaskWriting {
    /// A change in the number of tasks.
    struct Change {
        let by: Int
        let session: String
        let state: TaskState
    }

    /// What the counts change by when the transaction is committed.
    private(set) var changes: [Change] = []
    private let db: Database
    private let statements: WriteStatements

    init(_ db: Database, _ statements: WriteStatements) {
        self.db = db
        self.statements = statements
    }

    /// Performs one operation.
    ///
    /// - Returns: Whether there was something to change.
    mutating func perform(_ operation: WriteOperation) throws -> Bool {
        switch operation {
        case .insert(let record):
            try insert(record)
            return true
        case .update(let record, let expected):
            return try update(record, expecting: expected)
        case .delete(let id):
            return try delete(id)
        case .mark(let mark):
            try SessionWriting(statements).set(mark)
            return true
        case .cookies(let changes, let session):
            try SessionWriting(statements).apply(changes, session: session)
            return true
        case .probe:
            try statements.probe.execute()
            return true
        }
    }

    private mutating func insert(_ record: TaskRecord) throws {
        let id = Data(record.id.bytes)
        try statements.insertTask.execute(
            arguments: [
                id, record.session, record.kind.rawValue, record.state.rawValue, record.priority,
                record.createdAt.milliseconds, record.updatedAt.milliseconds, record.startedAt?.milliseconds,
                record.finishedAt?.milliseconds, record.expiresAt?.milliseconds, record.revision, record.attemptCount,
                record.hasOpenAttempt,
            ])
        guard db.changesCount == 1 else {
            throw TaskStoreError(.exists, "A task with this identifier exists already")
        }
        let number = db.lastInsertedRowID
        try statements.insertSpecification.execute(
            arguments: [
                number, Data(record.specification.task), Data(record.specification.request),
                record.specification.contentBytes,
            ])
        for (key, value) in record.labels {
            try statements.insertLabel.execute(arguments: [number, Data(key.utf8), Data(value.utf8), id])
        }
        if !record.result.isEmpty { try write(record.result, of: number) }
        changes.append(Change(by: 1, session: record.session, state: record.state))
    }

    private mutating func update(_ record: TaskRecord, expecting expected: Int64) throws -> Bool {
        guard let stored = try life(record.id), stored.revision == expected else { return false }
        try statements.updateTask.execute(
            arguments: [
                record.state.rawValue, record.priority, record.updatedAt.milliseconds, record.startedAt?.milliseconds,
                record.finishedAt?.milliseconds, record.expiresAt?.milliseconds, record.revision, record.attemptCount,
                record.hasOpenAttempt, stored.number,
            ])
        if !record.result.isEmpty {
            try write(record.result, of: stored.number)
        } else if stored.hasResult {
            try statements.deleteResult.execute(arguments: [stored.number])
        }
        if stored.state != record.state {
            changes.append(Change(by: -1, session: stored.session, state: stored.state))
            changes.append(Change(by: 1, session: stored.session, state: record.state))
        }
        return true
    }

    private mutating func delete(_ id: TaskID) throws -> Bool {
        guard let stored = try life(id) else { return false }
        try statements.deleteTask.execute(arguments: [stored.number])
        changes.append(Change(by: -1, session: stored.session, state: stored.state))
        return true
    }

    private func write(_ result: TaskResult, of number: Int64) throws {
        let object = ObjectColumns(result.object)
        var body: Data?
        if case .inline(let bytes) = result.body?.location { body = Data(bytes) }
        try statements.writeResult.execute(
            arguments: [
                number, Data(result.attempts), result.response.map { Data($0) }, result.error.map { Data($0) },
                object.kind?.rawValue, object.start, object.end, result.body?.size,
                result.body.map { Data($0.sha256) }, result.body?.contentType, object.json, body,
            ])
    }

    /// What an operation has to know of a stored task.
    private struct Life {
        let number: Int64
        let revision: Int64
        let session: String
        let state: TaskState
        let hasResult: Bool
    }

    private func life(_ id: TaskID) throws -> Life? {
        let cursor = try Row.fetchCursor(statements.life, arguments: [Data(id.bytes)])
        guard let row = try cursor.next() else { return nil }
        guard let state = TaskState(rawValue: row[3]) else { throw TaskStoreError.badRow("state") }
        return Life(number: row[0], revision: row[1], session: row[2], state: state, hasResult: row[4])
    }
}

extension TaskResult {
    /// Nothing has come of the task yet.
    fileprivate var isEmpty: Bool {
        attempts.isEmpty && response == nil && error == nil && body == nil && object == .none
    }
}
