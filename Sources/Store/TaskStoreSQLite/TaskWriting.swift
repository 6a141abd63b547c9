import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The operations of a transaction, and their effects outside of the database once it is committed.
///
/// An operation that throws may have been performed in part, so the transaction must be rolled back.
struct TaskWriting {
    /// A change in the number of tasks.
    struct Change {
        let by: Int
        let session: String
        let state: TaskState
        let kind: TaskKind
    }

    /// The changes of the counts once the transaction is committed.
    private(set) var changes: [Change] = []
    /// The events to publish once the transaction is committed.
    private(set) var events: EventWriting
    private let db: Database
    private let statements: WriteStatements

    /// Begins the operations of a transaction.
    ///
    /// - Parameters:
    ///   - bounds: The range of events after the previous transaction.
    ///   - operations: The number of operations, for which there is room without growth in the usual case.
    init(_ db: Database, _ statements: WriteStatements, bounds: EventBounds, operations: Int) {
        self.db = db
        self.statements = statements
        events = EventWriting(statements.events, bounds: bounds, capacity: operations * 2)
        // The end of an attempt is two events; a change of state is two changes of counts.
        changes.reserveCapacity(operations * 2)
    }

    /// Adds a task, or returns the reason that it is not needed.
    ///
    /// Nothing is written if the identifier exists.
    mutating func insert(_ task: NewTask) throws -> Result<Insertion, TaskStoreError> {
        let keys = IdempotencyKeys(statements.idempotency)
        if let claim = task.idempotency, let replay = try keys.replay(of: claim, at: task.keysExpiredBy) {
            return .success(replay)
        }
        if task.unlessRetried, let original = task.record.retryOf, let earlier = try retry(of: original) {
            return .success(.alreadyRetried(earlier))
        }
        guard let added = try insert(task.record) else {
            return .failure(TaskStoreError(.exists, "A task with this identifier exists already"))
        }
        if let claim = task.idempotency { try keys.give(claim, to: task.record) }
        return .success(.inserted(isBlocked: added.isBlocked))
    }

    /// Replaces the changeable part of a task, and stores the data that belongs to the change.
    ///
    /// Starting a blocked task returns `.stale`, because the caller has not seen that it is blocked.
    mutating func update(_ update: TaskUpdate) throws -> UpdateOutcome {
        let record = update.record
        guard let stored = try life(record.id), stored.revision == update.expected else { return .stale }
        let opensAttempt = record.hasOpenAttempt && !stored.hasOpenAttempt
        let isBlocked = try isBlocked(record.state, stored)
        guard !(isBlocked && opensAttempt) else { return .stale }
        let change = TaskChange(from: stored, to: record, isBlocked: isBlocked)
        try statements.update(change).execute { arguments in
            for column in change.columns { column.bind(record, isBlocked: isBlocked, to: &arguments) }
            arguments.bind(stored.number)
        }
        if !update.keepsResult { try replaceResult(of: stored, by: record.result) }
        if update.changesLabels {
            try statements.deleteLabels.execute { $0.bind(stored.number) }
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

    /// Removes a task, also a damaged one.
    ///
    /// - Returns: `nil` if there is none.
    mutating func delete(_ id: TaskID, at now: Timestamp, because reason: DeletionReason) throws -> Deletion? {
        let found = try statements.life.first(binding: { $0.bind(id) }) { try RemovableTaskState($0) }
        guard let stored = found else { return nil }
        try IdempotencyKeys(statements.idempotency).taskIsRemoved(id, stored, because: reason)
        try events.addDeletion(of: stored, id, at: now)
        try statements.deleteTask.execute { $0.bind(stored.number) }
        // A task with an unknown state or kind is not counted.
        if let state = stored.state, let kind = stored.kind {
            changes.append(Change(by: -1, session: stored.session, state: state, kind: kind))
        }
        return Deletion(release: try release(after: stored))
    }

    /// Writes a schedule, and the task of its run.
    ///
    /// - Returns: `false` if the revision is not the expected one; nothing is written then.
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
    /// - Returns: True if there was one.
    func removeSchedule(_ name: String) throws -> Bool {
        try ScheduleWriting(db, statements.schedules).remove(name)
    }

    /// Removes expired idempotency keys, and deletion events before a moment, at most `limit` of each.
    ///
    /// - Returns: True if there may be more.
    mutating func forget(keysExpiredAt now: Timestamp, deletionsBefore moment: Timestamp, limit: Int) throws -> Bool {
        try IdempotencyKeys(statements.idempotency).forget(expiredAt: now, limit: limit)
        let keys = db.changesCount
        let deletions = try events.forgetDeletions(before: moment, limit: limit)
        return max(keys, deletions) >= limit
    }

    /// Stores the control state of a session, or removes it.
    func set(_ controlState: SessionControlState) throws {
        try SessionWriting(statements.sessions).set(controlState)
    }

    /// Stores the hold of a session, or removes it.
    func set(_ hold: UpstreamHold) throws {
        try SessionWriting(statements.sessions).set(hold)
    }

    /// Stores the clock.
    func set(_ clock: StoredClock) throws {
        try statements.clock.set(clock, newestEvent: events.bounds.newest)
    }

    /// Changes cookies of a session.
    func apply(_ changes: [StoredCookieChange], session: String) throws {
        try SessionWriting(statements.sessions).apply(changes, session: session)
    }

    /// Writes a meaningless value.
    func probe() throws {
        try statements.probe.execute()
    }

    // MARK: Parts

    /// Adds a task.
    ///
    /// - Returns: `nil` if the identifier exists; nothing is written then.
    private mutating func insert(_ record: TaskRecord) throws -> (number: Int64, isBlocked: Bool)? {
        var isBlocked = false
        if let key = record.orderingKey, record.state.takesTurns {
            isBlocked = try OrderingKeys(statements.ordering).isTaken(Data(key.utf8), session: record.session)
        }
        try statements.insertTask.execute { [isBlocked] arguments in
            for column in TaskColumn.inserted { column.bind(record, isBlocked: isBlocked, to: &arguments) }
        }
        guard db.changesCount == 1 else { return nil }
        let number = db.lastInsertedRowID
        let specification = record.specification
        try statements.insertSpecification.execute { arguments in
            arguments.bind(number)
            arguments.bind(specification.request)
            arguments.bind(specification.contentBytes)
            arguments.bind(specification.callback)
            arguments.bind(specification.task)
        }
        try write(record.labels, of: number, record.id)
        if !record.result.isEmpty { try write(record.result, of: number, replacing: false) }
        if let original = record.retryOf {
            try statements.noteRetry.execute { arguments in
                arguments.bind(record.id)
                arguments.bind(record.createdAt.milliseconds)
                arguments.bind(original)
            }
        }
        try events.add(.state(record.state), of: record, number)
        changes.append(Change(by: 1, session: record.session, state: record.state, kind: record.kind))
        return (number, isBlocked)
    }

    /// Returns the task that repeats another one; `nil` if there is none, or if the other was removed.
    private func retry(of original: TaskID) throws -> TaskID? {
        let cursor = try Row.fetchCursor(statements.retriedBy, arguments: [original.blob])
        return try cursor.next().flatMap { row in try row.optionalTaskID(0, "retried_by") }
    }

    /// Returns true if a task is blocked in a state that it enters.
    private func isBlocked(_ state: TaskState, _ stored: StoredTaskState) throws -> Bool {
        guard let key = stored.orderingKey, state.takesTurns else { return false }
        if stored.state.takesTurns { return stored.isBlocked }
        return try OrderingKeys(statements.ordering).isTaken(key, session: stored.session)
    }

    /// Passes the turn of a task that no longer takes part to the next task of its ordering key.
    private func release(after stored: StoredTaskState) throws -> TaskRelease? {
        guard let key = stored.orderingKey, stored.hasTurn else { return nil }
        return try OrderingKeys(statements.ordering).release(key, session: stored.session)
    }

    /// Passes the turn of a task that was removed to the next task of its ordering key.
    private func release(after removed: RemovableTaskState) throws -> TaskRelease? {
        guard let key = removed.orderingKey, removed.mayHaveTurn else { return nil }
        return try OrderingKeys(statements.ordering).release(
            key, session: removed.session, unlessHeld: !removed.isTurnKnown)
    }

    /// Writes the events of an update.
    private mutating func note(_ update: TaskUpdate, _ stored: StoredTaskState) throws {
        let record = update.record
        for hop in update.hops {
            try events.add(hop.kind, of: record, stored.number, detail: hop.detail)
        }
        if stored.hasOpenAttempt, !record.hasOpenAttempt {
            try events.add(.attempt, of: record, stored.number, attempt: stored.attemptCount)
        }
        guard stored.state != record.state else { return }
        try events.add(.state(record.state), of: record, stored.number)
        changes.append(Change(by: -1, session: stored.session, state: stored.state, kind: stored.kind))
        changes.append(Change(by: 1, session: stored.session, state: record.state, kind: stored.kind))
    }

    private func write(_ labels: [String: String], of number: Int64, _ id: TaskID) throws {
        for (key, value) in labels {
            try statements.insertLabel.execute { arguments in
                arguments.bind(number)
                arguments.bind(utf8: key)
                arguments.bind(utf8: value)
                arguments.bind(id)
            }
        }
    }

    /// Writes the result of a task that exists, or removes it.
    private func replaceResult(of stored: StoredTaskState, by result: TaskResult) throws {
        if !result.isEmpty {
            try write(result, of: stored.number, replacing: stored.hasResult)
        } else if stored.hasResult {
            try statements.deleteResult.execute { $0.bind(stored.number) }
        }
    }

    private func write(_ result: TaskResult, of number: Int64, replacing replaces: Bool) throws {
        let object = ObjectColumns(result.object)
        let statement = replaces ? statements.updateResult : statements.insertResult
        try statement.execute { arguments in
            arguments.bind(number)
            arguments.bind(result.attempts)
            arguments.bind(result.response)
            arguments.bind(result.error)
            arguments.bind(object.kind?.rawValue)
            arguments.bind(object.start)
            arguments.bind(object.end)
            arguments.bind(result.body?.size)
            arguments.bind(result.body?.sha256)
            arguments.bind(result.body?.contentType)
            arguments.bind(object.json)
            arguments.bind(result.body?.inlineBytes)
        }
    }

    private func life(_ id: TaskID) throws -> StoredTaskState? {
        try statements.life.first(binding: { $0.bind(id) }) { try StoredTaskState($0) }
    }
}

extension StoredBody {
    /// The bytes that the database stores.
    fileprivate var inlineBytes: [UInt8]? {
        if case .inline(let bytes) = location { bytes } else { nil }
    }
}

extension TaskResult {
    /// True if the task has no result yet.
    fileprivate var isEmpty: Bool {
        attempts.isEmpty && response == nil && error == nil && body == nil && object == .none
    }
}
