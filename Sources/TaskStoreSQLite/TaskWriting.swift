import FoundationEssentials
import GRDB
import TaskStore

/// The operations of a transaction, and what they change outside of the database when it is committed.
///
/// An operation that throws has spoilt the transaction: it may have been done in part.
struct TaskWriting {
    /// A change in the number of tasks.
    struct Change {
        let by: Int
        let session: String
        let state: TaskState
    }

    /// What the counts change by when the transaction is committed.
    private(set) var changes: [Change] = []
    /// What is to be told when the transaction is committed.
    private(set) var events: EventWriting
    private let db: Database
    private let statements: WriteStatements

    /// Begins a transaction's operations.
    ///
    /// - Parameter bounds: Which events the last transaction has left.
    init(_ db: Database, _ statements: WriteStatements, bounds: EventBounds) {
        self.db = db
        self.statements = statements
        events = EventWriting(statements.events, bounds: bounds)
    }

    /// Adds a task, or tells why that is not needed; nothing was written when there is one with its identifier.
    mutating func insert(_ task: NewTask) throws -> Result<Insertion, TaskStoreError> {
        let keys = IdempotencyKeys(statements.idempotency)
        if let claim = task.idempotency, let answer = try keys.answer(to: claim, at: task.record.createdAt) {
            return .success(answer)
        }
        guard let added = try insert(task.record) else {
            return .failure(TaskStoreError(.exists, "A task with this identifier exists already"))
        }
        if let claim = task.idempotency { try keys.give(claim, to: added.number) }
        return .success(.inserted(isBlocked: added.isBlocked))
    }

    /// Replaces the changeable part of a task, with what belongs to the change.
    ///
    /// A blocked task does not start: that it would is taken for a change by somebody who has not seen it.
    mutating func update(_ update: TaskUpdate) throws -> UpdateOutcome {
        let record = update.record
        guard let stored = try life(record.id), stored.revision == update.expected else { return .stale }
        let opensAttempt = record.hasOpenAttempt && !stored.hasOpenAttempt
        let isBlocked = try isBlocked(record.state, stored)
        guard !(isBlocked && opensAttempt) else { return .stale }
        try statements.updateTask.execute(
            arguments: TaskColumns.changeable(record, isBlocked: isBlocked) + [stored.number])
        if !record.result.isEmpty {
            try write(record.result, of: stored.number)
        } else if stored.hasResult {
            try statements.deleteResult.execute(arguments: [stored.number])
        }
        if update.changesLabels {
            try statements.deleteLabels.execute(arguments: [stored.number])
            try write(record.labels, of: stored.number, record.id)
        }
        try note(update, stored)
        for child in update.children {
            guard try insert(child) != nil else {
                throw TaskStoreError(.exists, "A task with the identifier of a callback exists already")
            }
        }
        return .stored(record.state.takesTurns ? nil : try release(after: stored))
    }

    /// Removes a task.
    ///
    /// - Returns: `nil` when there is none.
    mutating func delete(_ id: TaskID, at now: Timestamp) throws -> Deletion? {
        guard let stored = try life(id) else { return nil }
        try events.addDeletion(of: stored, id, at: now)
        try statements.deleteTask.execute(arguments: [stored.number])
        changes.append(Change(by: -1, session: stored.session, state: stored.state))
        return Deletion(release: try release(after: stored))
    }

    /// Writes a schedule, and the task of its run.
    ///
    /// - Returns: `false`, and nothing was written, when there is another revision than the one expected.
    mutating func put(
        _ schedule: ScheduleRecord, expecting expected: Int64?, inserting task: TaskRecord?
    ) throws -> Bool {
        let writing = ScheduleWriting(db, statements.schedules)
        guard try writing.revision(of: schedule.name) == expected else { return false }
        try writing.write(schedule)
        if let task, try insert(task) == nil {
            throw TaskStoreError(.exists, "A task with this identifier exists already")
        }
        return true
    }

    /// Removes a schedule.
    ///
    /// - Returns: Whether there was one.
    func removeSchedule(_ name: String) throws -> Bool {
        try ScheduleWriting(db, statements.schedules).remove(name)
    }

    /// Forgets idempotency keys whose time is over and deletions before a moment, at most so many of each.
    ///
    /// - Returns: Whether there may be more.
    mutating func forget(keysExpiredAt now: Timestamp, deletionsBefore moment: Timestamp, limit: Int) throws -> Bool {
        try IdempotencyKeys(statements.idempotency).forget(expiredAt: now, limit: limit)
        let keys = db.changesCount
        let deletions = try events.forgetDeletions(before: moment, limit: limit)
        return max(keys, deletions) >= limit
    }

    /// Remembers what an operator did to a session, or forgets it.
    func set(_ mark: SessionMark) throws {
        try SessionWriting(statements.sessions).set(mark)
    }

    /// Changes cookies of a session.
    func apply(_ changes: [StoredCookieChange], session: String) throws {
        try SessionWriting(statements.sessions).apply(changes, session: session)
    }

    /// Writes something that means nothing.
    func probe() throws {
        try statements.probe.execute()
    }

    // MARK: Parts

    /// Adds a task.
    ///
    /// - Returns: `nil`, and nothing was written, when there is one with its identifier.
    private mutating func insert(_ record: TaskRecord) throws -> (number: Int64, isBlocked: Bool)? {
        var isBlocked = false
        if let key = record.orderingKey, record.state.takesTurns {
            isBlocked = try OrderingKeys(statements.ordering).isTaken(Data(key.utf8), session: record.session)
        }
        try statements.insertTask.execute(
            arguments: TaskColumns.changeable(record, isBlocked: isBlocked) + TaskColumns.fixed(record))
        guard db.changesCount == 1 else { return nil }
        let number = db.lastInsertedRowID
        let specification = record.specification
        try statements.insertSpecification.execute(
            arguments: [
                number, Data(specification.task), Data(specification.request), specification.contentBytes,
                specification.callback.map { Data($0) },
            ])
        try write(record.labels, of: number, record.id)
        if !record.result.isEmpty { try write(record.result, of: number) }
        try events.add(.state(record.state), of: record, number)
        changes.append(Change(by: 1, session: record.session, state: record.state))
        return (number, isBlocked)
    }

    /// Whether a task is blocked in a state that it comes into.
    private func isBlocked(_ state: TaskState, _ stored: StoredLife) throws -> Bool {
        guard let key = stored.orderingKey, state.takesTurns else { return false }
        if stored.state.takesTurns { return stored.isBlocked }
        return try OrderingKeys(statements.ordering).isTaken(key, session: stored.session)
    }

    /// Gives the turn of a task that does not take part any more to the next one of its ordering key.
    private func release(after stored: StoredLife) throws -> TaskRelease? {
        guard let key = stored.orderingKey, stored.hasTurn else { return nil }
        return try OrderingKeys(statements.ordering).release(key, session: stored.session)
    }

    /// Writes what an update is an event of.
    private mutating func note(_ update: TaskUpdate, _ stored: StoredLife) throws {
        let record = update.record
        for redirect in update.redirects {
            try events.add(.redirect, of: record, stored.number, detail: redirect)
        }
        if stored.hasOpenAttempt, !record.hasOpenAttempt {
            try events.add(.attempt, of: record, stored.number, attempt: stored.attemptCount)
        }
        guard stored.state != record.state else { return }
        try events.add(.state(record.state), of: record, stored.number)
        changes.append(Change(by: -1, session: stored.session, state: stored.state))
        changes.append(Change(by: 1, session: stored.session, state: record.state))
    }

    private func write(_ labels: [String: String], of number: Int64, _ id: TaskID) throws {
        for (key, value) in labels {
            try statements.insertLabel.execute(
                arguments: [number, Data(key.utf8), Data(value.utf8), Data(id.bytes)])
        }
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

    private func life(_ id: TaskID) throws -> StoredLife? {
        let cursor = try Row.fetchCursor(statements.life, arguments: [Data(id.bytes)])
        return try cursor.next().map { try StoredLife($0) }
    }
}

extension TaskResult {
    /// Nothing has come of the task yet.
    fileprivate var isEmpty: Bool {
        attempts.isEmpty && response == nil && error == nil && body == nil && object == .none
    }
}
