import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The statements that read tasks.
struct TaskReading {
    let db: Database
    private let damaged: DamagedIdentifiers?

    /// Creates the statements of a connection.
    ///
    /// - Parameter damaged: Logs a row with a damaged identifier, which reads of identifiers leave out; `nil` to fail
    ///   at such a row.
    init(_ db: Database, leavingOut damaged: DamagedIdentifiers? = nil) {
        self.db = db
        self.damaged = damaged
    }

    /// Returns one task.
    func task(_ id: TaskID) throws -> TaskRecord? {
        let number = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT number FROM tasks INDEXED BY tasks_by_id WHERE id = ?"),
            arguments: [id.blob])
        return try number.flatMap { try record($0, sql: TaskRow.full, arguments: []) }
    }

    /// Returns the newest task of a kind that has a parent, without labels and objects.
    func lastChild(of parent: TaskID, kind: TaskKind) throws -> TaskRecord? {
        let number = try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT number FROM tasks INDEXED BY tasks_by_parent WHERE parent = ? AND +kind = ?
                    ORDER BY id DESC LIMIT 1
                    """),
            arguments: [parent.blob, kind.rawValue])
        return try number.flatMap { try record($0, sql: TaskRow.brief, arguments: [0, 0], withLabels: false) }
    }

    /// Returns the first tasks that match, one more than a page contains if there are that many.
    ///
    /// The flag is true if further ones were not read because those before them have ``TaskQuery/sufficientBytes``.
    func tasks(_ query: TaskQuery) throws -> (tasks: [TaskRecord], isCut: Bool) {
        let sql = query.showsDocuments ? TaskRow.brief : TaskRow.bare
        let arguments = query.showsDocuments ? [query.inlineObjectBytes, query.inlineObjectBytes] : []
        var tasks: [TaskRecord] = []
        var bytes = 0
        for task in try found(query).tasks {
            if bytes >= query.sufficientBytes { return (tasks, true) }
            let record = try record(task.number, sql: sql, arguments: arguments, withLabels: query.showsLabels)
            guard let record else { continue }
            bytes += record.approximateBytes
            tasks.append(record)
        }
        return (tasks, false)
    }

    /// Returns the identifiers of the first tasks that match, as many as a page contains.
    func identifiers(_ query: TaskQuery) throws -> [TaskID] {
        var query = query
        let size = max(query.pageSize, 0)
        while true {
            let (tasks, omitted) = try found(query)
            // Rows that are left out have taken the places of others, which are read too.
            guard omitted > 0, tasks.count < size, tasks.count + omitted > query.pageSize else {
                return tasks.prefix(size).map(\.id)
            }
            query.pageSize += omitted
        }
    }

    /// The result of a search: the tasks, and the number of rows that were left out.
    private typealias Found = (tasks: [FoundTask], omitted: Int)

    private func found(_ query: TaskQuery) throws -> Found {
        guard let identifiers = query.identifiers, query.pageSize > 0, query.sessions?.isEmpty != true else {
            return ([], 0)
        }
        if query.order.isByEnd {
            let plan = EndListPlan(query, identifiers)
            return try found(db.makeStatement(sql: plan.sql), plan.arguments)
        }
        if let list = SessionListQuery(query, identifiers) { return (try list.tasks(db), 0) }
        let driver = try ListDriver.best(for: query, within: identifiers, in: db)
        let plan = ListPlan(query, identifiers, drivenBy: driver)
        let statement = plan.isReusable ? try db.cachedStatement(sql: plan.sql) : try db.makeStatement(sql: plan.sql)
        return try found(statement, plan.arguments)
    }

    private func found(_ statement: Statement, _ arguments: StatementArguments) throws -> Found {
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        var found: Found = ([], 0)
        while let row = try rows.next() {
            if let id = try identifier(in: row, at: 1) {
                found.tasks.append(FoundTask(number: row[0], id: id))
            } else {
                found.omitted += 1
            }
        }
        return found
    }

    /// Returns the queued tasks that are not blocked, in the order of their start.
    func queued(session: String, after position: QueuePosition?, limit: Int) throws -> [QueuePosition] {
        let position = (rank: position?.rank ?? .min, id: position?.id.blob ?? Data())
        return try page(
            """
            SELECT rank, id FROM tasks INDEXED BY tasks_queued
            WHERE session = ? AND rank IS NOT NULL AND (rank, id) > (?, ?) ORDER BY rank, id
            """,
            [session, position.rank, position.id], limit: limit, column: 1
        ) { row, id in
            QueuePosition(rank: row[0], id: id)
        }
    }

    /// Returns the times since which tasks wait in their queues, of those that exist.
    func readyTimes(of ids: [TaskID]) throws -> [TaskID: Timestamp] {
        let statement = try db.cachedStatement(
            sql: "SELECT coalesce(ready_at, created_at) FROM tasks INDEXED BY tasks_by_id WHERE id = ?")
        var times: [TaskID: Timestamp] = [:]
        for id in ids {
            times[id] = try Int64.fetchOne(statement, arguments: [id.blob]).map { Timestamp(milliseconds: $0) }
        }
        return times
    }

    /// Returns the tasks with an open attempt, sorted by id.
    func interrupted(after id: TaskID?, limit: Int) throws -> [TaskID] {
        try ids(
            """
            SELECT id FROM tasks INDEXED BY tasks_with_attempt
            WHERE has_open_attempt = 1 AND id > ? ORDER BY id
            """,
            [id?.blob ?? Data()], limit: limit)
    }

    /// Returns the tasks of a session that are neither under way nor finished, sorted by id.
    ///
    /// Four merged walks need no extra index, which each start of a task would have to update. Suspended tasks with an
    /// attempt are skipped; they are few, because each occupies a slot of the session.
    func pending(session: String, after id: TaskID?, limit: Int) throws -> [TaskID] {
        let first = id?.blob ?? Data()
        return try ids(
            """
            SELECT id FROM tasks INDEXED BY tasks_by_session WHERE session = ? AND state = 'scheduled' AND id > ?
            UNION ALL
            SELECT id FROM tasks INDEXED BY tasks_by_session WHERE session = ? AND state = 'queued' AND id > ?
            UNION ALL
            SELECT id FROM tasks INDEXED BY tasks_by_session WHERE session = ? AND state = 'waiting' AND id > ?
            UNION ALL
            SELECT id FROM tasks INDEXED BY tasks_by_session
            WHERE session = ? AND state = 'suspended' AND id > ? AND has_open_attempt = 0
            ORDER BY id
            """,
            [session, first, session, first, session, first, session, first], limit: limit)
    }

    /// Returns the first identifiers that a statement reads.
    func ids(_ sql: String, _ arguments: StatementArguments, limit: Int) throws -> [TaskID] {
        try page(sql, arguments, limit: limit, column: 0) { _, id in id }
    }

    /// Returns the first values that a statement reads.
    ///
    /// A row that is left out takes no place: a page ends early only behind the last row.
    ///
    /// - Parameters:
    ///   - sql: A statement without a limit.
    ///   - column: The column with the identifier.
    ///   - make: Returns the value of a row with an identifier.
    func page<Value>(
        _ sql: String, _ arguments: StatementArguments, limit: Int, column: Int, make: (Row, TaskID) -> Value
    ) throws -> [Value] {
        var page: [Value] = []
        guard limit > 0 else { return page }
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        while page.count < limit, let row = try rows.next() {
            if let id = try identifier(in: row, at: column) { page.append(make(row, id)) }
        }
        return page
    }

    /// Returns the identifier in a row; `nil` if it is damaged and the row is left out.
    private func identifier(in row: Row, at column: Int) throws -> TaskID? {
        if let id = try row.validTaskID(column) { return id }
        guard let damaged else { throw TaskStoreError.badRow("id") }
        try damaged.note {
            let bytes: Data = row[column]
            return try Int64.fetchOne(
                db, sql: "SELECT number FROM tasks INDEXED BY tasks_by_id WHERE id = ?", arguments: [bytes])
        }
        return nil
    }

    /// Counts all tasks by walking an index, when a store is opened.
    ///
    /// A task with an unknown state is damaged, and is not counted.
    func counts() throws -> TaskCounts {
        var counts = TaskCounts()
        let ofKinds = TaskKind.allCases.map { "sum(kind = '\($0.rawValue)')" }.joined(separator: ", ")
        let rows = try Row.fetchCursor(
            db, sql: "SELECT session, state, \(ofKinds) FROM tasks INDEXED BY tasks_by_session GROUP BY session, state")
        while let row = try rows.next() {
            guard let state = TaskState(rawValue: row[1]) else { continue }
            for (column, kind) in TaskKind.allCases.enumerated() {
                counts.add(row[2 + column], session: row[0], state: state, kind: kind)
            }
        }
        return counts
    }

    /// Counts the tasks that match, for each state that the query admits.
    func counts(matching query: TaskQuery) throws -> [TaskState: Int] {
        var counts = Dictionary(uniqueKeysWithValues: query.admittedStates.map { ($0, 0) })
        guard let identifiers = query.identifiers, query.sessions?.isEmpty != true else { return counts }
        let driver = try ListDriver.best(for: query, within: identifiers, inOrder: false, in: db)
        let plan = CountPlan(query, identifiers, drivenBy: driver)
        let rows = try Row.fetchCursor(db.makeStatement(sql: plan.sql), arguments: plan.arguments)
        guard let row = try rows.next() else { return counts }
        for (column, state) in query.admittedStates.enumerated() { counts[state] = row[column] }
        return counts
    }

    private func record(
        _ number: Int64, sql: String, arguments: [Int], withLabels: Bool = true
    ) throws -> TaskRecord? {
        let cursor = try Row.fetchCursor(
            db.cachedStatement(sql: sql), arguments: StatementArguments(arguments) + [number])
        guard let row = try cursor.next() else { return nil }
        var values = try TaskRow.values(row)
        guard withLabels else { return TaskRecord(values) }
        let labels = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT key, value FROM labels WHERE number = ?"), arguments: [number])
        while let label = try labels.next() {
            let (key, value): (Data, Data) = (label[0], label[1])
            values.labels[String(decoding: key, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
        }
        return TaskRecord(values)
    }
}

/// A task found by a list.
struct FoundTask {
    /// The number of its rows.
    let number: Int64
    let id: TaskID
}

extension FoundTask {
    /// Reads a row with the number and the identifier.
    init(_ row: Row) throws {
        self.init(number: row[0], id: try row.taskID(1, "id"))
    }
}
