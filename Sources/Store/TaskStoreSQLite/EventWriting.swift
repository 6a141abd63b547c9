import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The events of a transaction.
///
/// Numbers continue after the last committed transaction, and after those that the store omitted when it was opened.
/// Numbers of a transaction that was rolled back are reused, because no reader has seen them.
struct EventWriting {
    /// The written events, oldest first.
    private(set) var events: [StoredEvent] = []
    /// The range of events once the transaction is committed.
    private(set) var bounds: EventBounds
    private let statements: EventStatements

    init(_ statements: EventStatements, bounds: EventBounds, capacity: Int) {
        self.statements = statements
        self.bounds = bounds
        events.reserveCapacity(capacity)
    }

    /// Writes an event of a task.
    ///
    /// - Parameters:
    ///   - kind: The kind of event.
    ///   - record: The task after the event.
    ///   - number: The task's number.
    ///   - attempt: The attempt that has ended.
    ///   - detail: A JSON object with details.
    mutating func add(
        _ kind: StoredEvent.Kind, of record: TaskRecord, _ number: Int64, attempt: Int? = nil, detail: [UInt8]? = nil
    ) throws {
        let event = StoredEvent(
            id: nextID(), kind: kind, at: record.updatedAt, task: record.id, session: record.session,
            taskKind: record.kind, parent: record.parent, labels: record.labels, revision: record.revision,
            attempt: attempt, detail: detail)
        try statements.write.execute { arguments in
            arguments.bind(event.id)
            arguments.bind(number)
            arguments.bind(kind.name)
            arguments.bind(event.at.milliseconds)
            arguments.bind(event.revision)
            arguments.bind(attempt)
            arguments.bind(detail)
        }
        events.append(event)
    }

    /// Writes that a task is about to be deleted, with the data that is lost by it.
    mutating func addDeletion(of task: RemovableTaskState, _ id: TaskID, at now: Timestamp) throws {
        // Without a known kind the event could not be read.
        let kind = task.kind ?? .data
        var event = StoredEvent(
            id: nextID(), kind: .deleted, at: now, task: id, session: task.session, taskKind: kind,
            parent: task.parent, revision: task.revision)
        try statements.writeDeletion.execute(
            arguments: [
                event.id, id.blob, task.session, kind.rawValue, task.parent?.blob,
                now.milliseconds, task.revision,
            ])
        let labels = try Row.fetchCursor(statements.labels, arguments: [task.number])
        while let label = try labels.next() {
            let (key, value): (Data, Data) = (label[0], label[1])
            event.labels[String(decoding: key, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
            try statements.writeDeletedLabel.execute(arguments: [event.id, key, value])
        }
        events.append(event)
    }

    /// Removes the oldest deletion events, at most `limit`, up to the first that is not before a moment.
    ///
    /// An event with a later time than the newest one was written while the clock was ahead, and is old too: it would
    /// keep all that follow it.
    ///
    /// - Returns: The number of removed events.
    mutating func forgetDeletions(before moment: Timestamp, limit: Int) throws -> Int {
        guard let latest = try Int64.fetchOne(statements.newestDeletionTime) else { return 0 }
        let oldest = try Row.fetchAll(statements.oldestDeletions, arguments: [limit])
        let forgotten = oldest.prefix { $0[1] < moment.milliseconds || $0[1] > latest }
        guard let last: Int64 = forgotten.last?[0] else { return 0 }
        try statements.forgetDeletions.execute(arguments: [last])
        bounds.forgotten = last
        try statements.writeForgotten.execute(arguments: [last])
        return forgotten.count
    }

    private mutating func nextID() -> Int64 {
        let next = bounds.newest + 1
        bounds.newest = bounds.omitted.flatMap { $0.contains(next) ? $0.upperBound : nil } ?? next
        return bounds.newest
    }
}

/// The statements that write events.
final class EventStatements {
    let write: Statement
    let writeDeletion: Statement
    let labels: Statement
    let writeDeletedLabel: Statement
    let oldestDeletions: Statement
    let newestDeletionTime: Statement
    let forgetDeletions: Statement
    let writeForgotten: Statement

    /// Prepares all statements.
    init(_ db: Database) throws {
        write = try db.makeStatement(sql: "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)")
        writeDeletion = try db.makeStatement(sql: "INSERT INTO deletions VALUES (?, ?, ?, ?, ?, ?, ?)")
        labels = try db.makeStatement(sql: "SELECT key, value FROM labels WHERE number = ?")
        writeDeletedLabel = try db.makeStatement(sql: "INSERT INTO deleted_labels VALUES (?, ?, ?)")
        oldestDeletions = try db.makeStatement(sql: "SELECT id, at FROM deletions ORDER BY id LIMIT ?")
        newestDeletionTime = try db.makeStatement(sql: "SELECT at FROM deletions ORDER BY id DESC LIMIT 1")
        forgetDeletions = try db.makeStatement(sql: "DELETE FROM deletions WHERE id <= ?")
        writeForgotten = try db.makeStatement(sql: "UPDATE event_bounds SET forgotten = ? WHERE number = 1")
    }
}
