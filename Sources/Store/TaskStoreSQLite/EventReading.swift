import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The statements that read events.
struct EventReading {
    private let db: Database

    init(_ db: Database) {
        self.db = db
    }

    /// Returns events after a given one, oldest first, either of one task or of all tasks, including deletions.
    func events(after id: Int64, task: TaskID?, limit: Int) throws -> [StoredEvent] {
        guard limit > 0 else { return [] }
        var labels: [Int64: [String: String]] = [:]
        if let task {
            let number = try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT number FROM tasks INDEXED BY tasks_by_id WHERE id = ?"),
                arguments: [task.blob])
            guard let number else { return [] }
            return try events(
                from: "events e INDEXED BY events_by_task", where: "e.number = ? AND e.id > ?",
                arguments: [number, id, limit], labels: &labels)
        }
        let changes = try events(from: "events e", where: "e.id > ?", arguments: [id, limit], labels: &labels)
        let deletions = try deletions(after: id, limit: limit)
        guard !deletions.isEmpty else { return changes }
        return Array((changes + deletions).sorted { $0.id < $1.id }.prefix(limit))
    }

    /// Returns the range of stored events.
    func bounds() throws -> EventBounds {
        let forgotten = try Int64.fetchOne(db, sql: "SELECT forgotten FROM event_bounds WHERE number = 1") ?? 0
        let changed = try Int64.fetchOne(db, sql: "SELECT max(id) FROM events") ?? 0
        let deleted = try Int64.fetchOne(db, sql: "SELECT max(id) FROM deletions") ?? 0
        return EventBounds(forgotten: forgotten, newest: max(forgotten, changed, deleted))
    }

    private func events(
        from source: String, where condition: String, arguments: StatementArguments,
        labels: inout [Int64: [String: String]]
    ) throws -> [StoredEvent] {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT
                        e.id, e.kind, e.at, t.id, t.session, t.kind, t.parent, e.revision, e.attempt, e.detail, e.number
                    FROM \(source) CROSS JOIN tasks t ON t.number = e.number
                    WHERE \(condition) ORDER BY e.id LIMIT ?
                    """),
            arguments: arguments)
        var events: [StoredEvent] = []
        while let row = try rows.next() {
            guard let kind = StoredEvent.Kind(name: row[1]) else { throw TaskStoreError.badRow("kind") }
            let number: Int64 = row[10]
            let known = try labels[number] ?? self.labels("labels WHERE number = ?", number)
            labels[number] = known
            events.append(
                StoredEvent(
                    id: row[0], kind: kind, at: Timestamp(milliseconds: row[2]), task: try row.taskID(3, "id"),
                    session: row[4], taskKind: try row.taskKind(5), parent: try row.optionalTaskID(6, "parent"),
                    labels: known, revision: row[7], attempt: row[8], detail: (row[9] as Data?).map { [UInt8]($0) }))
        }
        return events
    }

    private func deletions(after id: Int64, limit: Int) throws -> [StoredEvent] {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT id, at, task, session, kind, parent, revision FROM deletions
                    WHERE id > ? ORDER BY id LIMIT ?
                    """),
            arguments: [id, limit])
        var events: [StoredEvent] = []
        while let row = try rows.next() {
            events.append(
                StoredEvent(
                    id: row[0], kind: .deleted, at: Timestamp(milliseconds: row[1]), task: try row.taskID(2, "task"),
                    session: row[3], taskKind: try row.taskKind(4), parent: try row.optionalTaskID(5, "parent"),
                    labels: try labels("deleted_labels WHERE id = ?", row[0]), revision: row[6]))
        }
        return events
    }

    private func labels(_ source: String, _ number: Int64) throws -> [String: String] {
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT key, value FROM \(source)"), arguments: [number])
        var labels: [String: String] = [:]
        while let row = try rows.next() {
            let (key, value): (Data, Data) = (row[0], row[1])
            labels[String(decoding: key, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
        }
        return labels
    }
}

extension EventBounds {
    /// The numbers of a second.
    private static let perSecond: Int64 = 1 << 20
    /// 2025-01-01T00:00:00Z, in seconds since 1970.
    private static let epoch: Int64 = 1_735_689_600
    /// The seconds since the epoch after which the numbers no longer follow the time: half of those below 2^53.
    private static let maxSeconds: Int64 = 1 << 32

    /// Returns the bounds of a store that is opened: its next event has a number that was never used.
    ///
    /// A store may have lost its newest events: by power loss with ``Durability/normal``, or because it was restored
    /// from a backup. Clients know their numbers, which must not become those of other events. Therefore each opening
    /// begins with a number that follows the time, 2^20 for each second since 2025. No store writes as many events a
    /// second, so that the numbers of all earlier openings are less. If the clock was set back, or the time is `nil`,
    /// the numbers continue 2^20 after the newest one. They stay below 2^53, the limit of JavaScript, for more than a
    /// century, also if the store is opened every second.
    func opened(at time: Timestamp?) -> EventBounds {
        let seconds = time.map { min($0.milliseconds / 1000 - Self.epoch, Self.maxSeconds) } ?? 0
        // Wraps only in a damaged store, which then omits nothing.
        let following = newest == 0 ? 1 : newest &+ Self.perSecond
        let next = max(following, seconds * Self.perSecond)
        guard next - 1 > newest else { return self }
        return EventBounds(forgotten: forgotten, newest: newest, omitted: (newest + 1)..<next)
    }
}
