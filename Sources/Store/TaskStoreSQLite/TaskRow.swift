import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The columns of a whole task, and their conversion to a record.
enum TaskRow {
    /// The statement that reads a complete task.
    ///
    /// Argument: the number.
    static let full = select(
        task: "coalesce(s.document, s.task)", objectKind: "r.object_kind", object: "r.object", body: "r.body")

    /// The statement that reads a task for a list.
    ///
    /// Arguments: the size of the largest wanted object, twice; the number.
    ///
    /// `length` of a blob and the test for null read only the header of a row, not the pages of its content. The
    /// client's request is not part of a list, because it may have megabytes.
    static let brief = select(
        task: "NULL",
        objectKind: """
            CASE
                WHEN r.object_kind IS NULL THEN NULL
                WHEN max(coalesce(length(r.object), 0), coalesce(r.object_end - r.object_start, 0)) > ? THEN 'omitted'
                WHEN r.object_kind = 'slice' AND r.body IS NOT NULL THEN 'json'
                ELSE r.object_kind
            END
            """,
        object: """
            CASE
                WHEN max(coalesce(length(r.object), 0), coalesce(r.object_end - r.object_start, 0)) > ? THEN NULL
                WHEN r.object_kind = 'slice' THEN substr(r.body, r.object_start + 1, r.object_end - r.object_start)
                ELSE r.object
            END
            """,
        body: "CASE WHEN r.body IS NULL THEN NULL ELSE x'' END")

    private static func select(task: String, objectKind: String, object: String, body: String) -> String {
        """
        SELECT
            t.id, t.session, t.kind, t.state, t.priority, t.created_at, t.updated_at, t.started_at, t.finished_at,
            t.expires_at, t.revision, t.attempt_count, \(task), s.request, r.attempts, r.response, r.error,
            r.body_size, r.body_sha256, r.body_type, r.object_start, r.object_end,
            \(objectKind), \(object), \(body), s.content_bytes, t.has_open_attempt,
            t.not_before, t.next_attempt_at, t.ready_at, t.deadline, t.ordering_key, t.is_blocked, t.bytes_per_second,
            t.retry_of, t.parent, t.schedule, s.callback, t.retried_by, t.is_delayed
        FROM tasks t CROSS JOIN specifications s ON s.number = t.number LEFT JOIN results r ON r.number = t.number
        WHERE t.number = ?
        """
    }

    /// Creates a record without labels from a row.
    static func record(_ row: Row) throws -> TaskRecord {
        let state = try row.taskState(3)
        guard let life = TaskLifecycle(state: state, hasOpenAttempt: try row.flag(26, "has_open_attempt")) else {
            throw TaskStoreError.badRow("has_open_attempt")
        }
        var record = TaskRecord(
            id: try row.taskID(0, "id"), session: row[1], kind: try row.taskKind(2), state: state, priority: row[4],
            createdAt: Timestamp(milliseconds: row[5]), labels: [:],
            specification: TaskSpecification(
                task: try bytes(row, 12) ?? [], request: try bytes(row, 13) ?? [], contentBytes: row[25],
                callback: try bytes(row, 37)))
        record.life = life
        record.updatedAt = Timestamp(milliseconds: row[6])
        record.startedAt = row.timestamp(7)
        record.finishedAt = row.timestamp(8)
        record.expiresAt = row.timestamp(9)
        record.revision = row[10]
        record.attemptCount = row[11]
        try readDispatch(row, &record)
        guard let attempts = try bytes(row, 14) else { return record }
        record.result.attempts = attempts
        record.result.response = try bytes(row, 15)
        record.result.error = try bytes(row, 16)
        record.result.body = try body(row)
        record.result.object = try object(row, record.result.body)
        return record
    }

    /// Reads the columns that determine when a task starts, and its origin.
    private static func readDispatch(_ row: Row, _ record: inout TaskRecord) throws {
        record.notBefore = row.timestamp(27)
        record.nextAttemptAt = row.timestamp(28)
        record.readyAt = row.timestamp(29) ?? record.createdAt
        record.deadline = row.timestamp(30)
        record.orderingKey = try bytes(row, 31).map { String(decoding: $0, as: UTF8.self) }
        record.isBlocked = try row.flag(32, "is_blocked")
        record.bytesPerSecond = row[33]
        record.retryOf = try row.optionalTaskID(34, "retry_of")
        record.parent = try row.optionalTaskID(35, "parent")
        record.schedule = row[36]
        record.retriedBy = try row.optionalTaskID(38, "retried_by")
        record.isDelayed = try row.flag(39, "is_delayed")
    }

    private static func body(_ row: Row) throws -> StoredBody? {
        guard let size: Int64 = row[17] else { return nil }
        guard let sha256 = try bytes(row, 18), sha256.count == 32 else { throw TaskStoreError.badRow("body_sha256") }
        return StoredBody(
            size: size, sha256: sha256, contentType: row[19],
            location: try bytes(row, 24).map { .inline($0) } ?? .file)
    }

    private static func object(_ row: Row, _ body: StoredBody?) throws -> StoredObject {
        guard let name: String = row[22] else { return .none }
        switch ObjectColumns.Kind(rawValue: name) {
        case .omitted:
            return .omitted
        case .json:
            guard let json = try bytes(row, 23) else { throw TaskStoreError.badRow("object") }
            return .json(json)
        case .slice:
            guard let start: Int = row[20], let end: Int = row[21], let body,
                0 <= start, start <= end, end <= body.size
            else { throw TaskStoreError.badRow("object_start") }
            return .slice(start..<end)
        case nil:
            throw TaskStoreError.badRow("object_kind")
        }
    }

    private static func bytes(_ row: Row, _ index: Int) throws -> [UInt8]? {
        try row.withUnsafeData(atIndex: index) { data in data.map { [UInt8]($0) } }
    }
}
