import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The columns of a whole task, and their conversion to a record.
enum TaskRow {
    /// The statement that reads a complete task.
    ///
    /// Argument: the number.
    static let full = select([.task: "coalesce(s.document, s.task)"])

    /// The statement that reads a task for a list.
    ///
    /// Arguments: the size of the largest wanted object, twice; the number.
    ///
    /// `length` of a blob and the test for null read only the header of a row, not the pages of its content. The
    /// client's request is not part of a list, because it may have megabytes.
    static let brief = select([
        .task: "NULL",
        .objectKind: """
        CASE
            WHEN r.object_kind IS NULL THEN NULL
            WHEN max(coalesce(length(r.object), 0), coalesce(r.object_end - r.object_start, 0)) > ? THEN 'omitted'
            WHEN r.object_kind = 'slice' AND r.body IS NOT NULL THEN 'json'
            ELSE r.object_kind
        END
        """,
        .object: """
        CASE
            WHEN max(coalesce(length(r.object), 0), coalesce(r.object_end - r.object_start, 0)) > ? THEN NULL
            WHEN r.object_kind = 'slice' THEN substr(r.body, r.object_start + 1, r.object_end - r.object_start)
            ELSE r.object
        END
        """,
        .body: "CASE WHEN r.body IS NULL THEN NULL ELSE x'' END",
    ])

    /// The statement that reads a task for a list without documents, from a single table.
    ///
    /// Argument: the number.
    static let bare = """
        SELECT \(columns { $0 == .contentBytes ? "0" : "NULL" }) FROM tasks t WHERE t.number = ?
        """

    /// The columns that follow those of ``TaskColumn`` in a row.
    private enum Document: Int, StoreColumn {
        // Of `specifications`.
        case task, request, contentBytes, callback
        // Of `results`.
        case attempts, response, error, bodySize, bodySha256, bodyType, objectStart, objectEnd, objectKind, object, body

        private static let first = TaskColumn.allCases.count

        /// The position in a row.
        var index: Int { Self.first + rawValue }

        /// The column with the name of its table.
        var source: String {
            switch self {
            case .task, .request, .contentBytes, .callback: "s.\(name)"
            case .attempts, .response, .error, .bodySize, .bodySha256, .bodyType, .objectStart, .objectEnd, .objectKind,
                .object, .body:
                "r.\(name)"
            }
        }
    }

    private static func select(_ computed: [Document: String]) -> String {
        """
        SELECT \(columns { computed[$0] ?? $0.source })
        FROM tasks t CROSS JOIN specifications s ON s.number = t.number LEFT JOIN results r ON r.number = t.number
        WHERE t.number = ?
        """
    }

    /// Returns the columns of a row, with an expression for each document.
    private static func columns(_ expression: (Document) -> String) -> String {
        (TaskColumn.allCases.map { "t.\($0.name)" } + Document.allCases.map(expression)).joined(separator: ", ")
    }

    /// Reads the values of a record, except its labels, from a row.
    static func values(_ row: Row) throws -> TaskRecord.Values {
        let state = try row.taskState(TaskColumn.state.rawValue)
        guard let life = TaskLifecycle(state: state, hasOpenAttempt: try row.flag(.hasOpenAttempt)) else {
            throw TaskStoreError.badRow(TaskColumn.hasOpenAttempt.name)
        }
        var values = TaskRecord.Values(
            id: try row.taskID(TaskColumn.id.rawValue, "id"), session: row.value(.session),
            kind: try row.taskKind(TaskColumn.kind.rawValue), life: life, priority: row.value(.priority),
            createdAt: Timestamp(milliseconds: row.value(.createdAt)), labels: [:],
            specification: TaskSpecification(
                task: try bytes(row, .task) ?? [], request: try bytes(row, .request) ?? [],
                contentBytes: row[Document.contentBytes.index], callback: try bytes(row, .callback)))
        values.updatedAt = Timestamp(milliseconds: row.value(.updatedAt))
        values.startedAt = row.timestamp(.startedAt)
        values.finishedAt = row.timestamp(.finishedAt)
        values.expiresAt = row.timestamp(.expiresAt)
        values.revision = row.value(.revision)
        values.attemptCount = row.value(.attemptCount)
        try readDispatch(row, &values)
        if let attempts = try bytes(row, .attempts) {
            values.result.attempts = attempts
            values.result.response = try bytes(row, .response)
            values.result.error = try bytes(row, .error)
            values.result.body = try body(row)
            values.result.object = try object(row, values.result.body)
        }
        return values
    }

    /// Reads the columns that determine when a task starts, and its origin.
    private static func readDispatch(_ row: Row, _ values: inout TaskRecord.Values) throws {
        values.notBefore = row.timestamp(.notBefore)
        values.nextAttemptAt = row.timestamp(.nextAttemptAt)
        let clockOffset: Int64 = row.value(.clockOffset)
        values.clockOffset = .milliseconds(clockOffset)
        values.readyAt = row.timestamp(.readyAt) ?? values.createdAt
        values.deadline = row.timestamp(.deadline)
        values.orderingKey = try bytes(row, TaskColumn.orderingKey.rawValue).map { String(decoding: $0, as: UTF8.self) }
        values.isBlocked = try row.flag(.isBlocked)
        values.bytesPerSecond = row.value(.bytesPerSecond)
        values.retryOf = try row.optionalTaskID(.retryOf)
        values.parent = try row.optionalTaskID(.parent)
        values.schedule = row.value(.schedule)
        values.retriedBy = try row.optionalTaskID(.retriedBy)
        values.isDelayed = try row.flag(.isDelayed)
        values.keepsPartialFile = try row.flag(.keepsPartialFile)
        if let blob = try bytes(row, TaskColumn.trace.rawValue) {
            guard let trace = TraceContext(bytes: blob) else { throw TaskStoreError.badRow(TaskColumn.trace.name) }
            values.trace = trace
        }
        if let blob = try bytes(row, TaskColumn.content.rawValue) {
            guard let content = TaskContent(blob: blob) else {
                throw TaskStoreError.badRow(TaskColumn.content.name)
            }
            values.content = content
        }
    }

    private static func body(_ row: Row) throws -> StoredBody? {
        guard let size: Int64 = row[Document.bodySize.index] else { return nil }
        let digest = try bytes(row, .bodySha256)
        // Earlier versions stored this for a response whose content was not kept.
        if size == 0, let digest, digest.isEmpty { return nil }
        guard let sha256 = digest, sha256.count == 32 else {
            throw TaskStoreError.badRow(Document.bodySha256.name)
        }
        return StoredBody(
            size: size, sha256: sha256, contentType: row[Document.bodyType.index],
            location: try bytes(row, .body).map { .inline($0) } ?? .file)
    }

    private static func object(_ row: Row, _ body: StoredBody?) throws -> StoredObject {
        guard let name: String = row[Document.objectKind.index] else { return .none }
        switch ObjectColumns.Kind(rawValue: name) {
        case .omitted:
            return .omitted
        case .json:
            guard let json = try bytes(row, .object) else { throw TaskStoreError.badRow(Document.object.name) }
            return .json(json)
        case .slice:
            guard let start: Int = row[Document.objectStart.index], let end: Int = row[Document.objectEnd.index],
                let body, 0 <= start, start <= end, end <= body.size
            else { throw TaskStoreError.badRow(Document.objectStart.name) }
            return .slice(start..<end)
        case nil:
            throw TaskStoreError.badRow(Document.objectKind.name)
        }
    }

    private static func bytes(_ row: Row, _ column: Document) throws -> [UInt8]? {
        try bytes(row, column.index)
    }

    private static func bytes(_ row: Row, _ index: Int) throws -> [UInt8]? {
        try row.withUnsafeData(atIndex: index) { data in data.map { [UInt8]($0) } }
    }
}

extension Row {
    fileprivate func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ column: TaskColumn
    ) -> Value {
        self[column.rawValue]
    }

    fileprivate func flag(_ column: TaskColumn) throws -> Bool {
        try flag(column.rawValue, column.name)
    }

    fileprivate func timestamp(_ column: TaskColumn) -> Timestamp? {
        timestamp(column.rawValue)
    }

    fileprivate func optionalTaskID(_ column: TaskColumn) throws -> TaskID? {
        try optionalTaskID(column.rawValue, column.name)
    }
}
