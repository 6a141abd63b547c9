import CErrandSQLite
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("Query plans")
struct QueryPlanTests {
    /// Walks in index order that stop at the end of a page, or pass at most one row per session.
    private static let orderedWalks: Set<String> = [
        "SCAN tasks USING INDEX tasks_by_id", "SCAN session_marks", "SCAN upstream_holds", "SCAN schedules",
        "SCAN deletions",
        "SCAN tasks USING COVERING INDEX tasks_by_finish",
    ]

    @Test("No statement of a client or the dispatcher scans a table or sorts its result")
    func everyStatement() async throws {
        let folder = try StoreFolder()
        try await folder.open().close()
        try folder.plain { db in
            // The statements of the reader and the writer, as SQLite sees them, for every kind of query.
            let seen = Seen(comparesValues: false)
            db.trace { seen.add($0) }
            let reading = TaskReading(db)
            for query in TaskQuery.shapes {
                _ = try reading.tasks(query)
                _ = try reading.identifiers(query)
                _ = try reading.counts(matching: query)
            }
            _ = try reading.task(.sample(1))
            _ = try reading.queued(session: "a", after: QueuePosition(rank: 0, id: .sample(1)), limit: 10)
            _ = try reading.readyTimes(of: [.sample(1)])
            _ = try reading.interrupted(after: nil, limit: 10)
            _ = try reading.pending(session: "a", after: .sample(1), limit: 10)
            _ = try reading.expired(at: .latest, after: nil, limit: 10)
            _ = try reading.due(at: .latest, after: nil, limit: 10)
            _ = try reading.overdue(at: .latest, after: nil, limit: 10)
            _ = try reading.finished(after: nil, limit: 10)
            _ = try EventReading(db).events(after: 0, task: nil, limit: 10)
            _ = try EventReading(db).bounds()
            _ = try ScheduleRows(db).all()
            _ = try SessionReading(db).controlStates()
            _ = try SessionReading(db).holds()
            _ = try SessionReading(db).cookies("a")
            _ = try ClockRow(db).clock()
            var writing = TaskWriting(
                db, try WriteStatements(db), bounds: EventBounds(forgotten: 0, newest: 0), operations: 4)
            var record = TaskRecord.sample(1, labels: ["team": "billing"])
            record.change {
                $0.result = TaskResult.samples[0]
                $0.orderingKey = "k"
            }
            _ = try writing.insert(NewTask(record, idempotency: .sample("a")))
            _ = try writing.insert(NewTask(.keyed(2)))
            _ = try reading.task(.sample(1))
            _ = try reading.tasks(TaskQuery())
            _ = try reading.lastChild(of: .sample(1), kind: .callback)
            var bare = TaskQuery()
            bare.showsDocuments = false
            bare.showsLabels = false
            _ = try reading.tasks(bare)
            _ = try EventReading(db).events(after: 0, task: .sample(1), limit: 10)
            var update = TaskUpdate(record, expecting: 1)
            update.changesLabels = true
            update.children = [.sample(3)]
            update.hops = [StoredHop(.redirect, Array("{}".utf8))]
            _ = try writing.update(update)
            _ = try writing.update(TaskUpdate(.sample(1, state: .failed), expecting: 1))
            _ = try writing.delete(.sample(1), at: .earliest, because: .client)
            _ = try writing.delete(.sample(2), at: .earliest, because: .retention)
            _ = try EventReading(db).events(after: 0, task: nil, limit: 10)
            _ = try writing.forget(keysExpiredAt: .latest, deletionsBefore: .latest, limit: 10)
            _ = try writing.put(.sample("nightly"), expecting: nil, inserting: .sample(4))
            _ = try writing.removeSchedule("nightly")
            try writing.set(SessionControlState(name: "a", isClosed: true))
            try writing.set(SessionControlState(name: "a"))
            try writing.set(UpstreamHold(session: "a", origin: "", quietUntil: .latest))
            try writing.set(UpstreamHold(session: "a", origin: ""))
            try writing.set(StoredClock())
            try writing.apply([.set(.sample("a")), .remove(StoredCookie.sample("a").key)], session: "a")
            db.trace(options: [])
            #expect(seen.statements.count > 100)
            for sql in seen.statements {
                for step in try plan(db, of: sql) where step.hasPrefix("SCAN") || step.contains("TEMP B-TREE") {
                    #expect(Self.orderedWalks.contains(step), "\(step) in \(sql)")
                }
            }
        }
    }

    @Test("Searches for a session, and at the start, use the complete key")
    func searches() async throws {
        let folder = try StoreFolder()
        try await folder.open().close()
        let key = "tasks_by_session (session=? AND state=? AND id>?)"
        try folder.plain { db in
            let pending = try plans(db, of: { _ = try TaskReading(db).pending(session: "a", after: nil, limit: 1) })
            #expect(
                pending.filter { $0.hasPrefix("SEARCH") }
                    == Array(repeating: "SEARCH tasks USING COVERING INDEX \(key)", count: 3)
                    + ["SEARCH tasks USING INDEX \(key)"])
            #expect(pending.filter { $0 == "MERGE (UNION ALL)" }.count == 3)
            let interrupted = try plans(db, of: { _ = try TaskReading(db).interrupted(after: nil, limit: 1) })
            #expect(interrupted == ["SEARCH tasks USING INDEX tasks_with_attempt (id>?)"])
            let position = QueuePosition(rank: 1, id: .sample(1))
            let queued = try plans(db, of: { _ = try TaskReading(db).queued(session: "a", after: position, limit: 1) })
            #expect(queued == ["SEARCH tasks USING COVERING INDEX tasks_queued (session=? AND (rank,id)>(?,?))"])
            let times = try plans(db, of: { _ = try TaskReading(db).readyTimes(of: [.sample(1)]) })
            #expect(times == ["SEARCH tasks USING INDEX tasks_by_id (id=?)"])
            let due = try plans(db, of: { _ = try TaskReading(db).due(at: .latest, after: nil, limit: 1) })
            #expect(due == ["SEARCH tasks USING COVERING INDEX tasks_due ((due_at,id)>(?,?) AND due_at<?)"])
            let overdue = try plans(db, of: { _ = try TaskReading(db).overdue(at: .latest, after: nil, limit: 1) })
            #expect(overdue == ["SEARCH tasks USING INDEX tasks_by_deadline ((deadline,id)>(?,?) AND deadline<?)"])
            let expired = try plans(db, of: { _ = try TaskReading(db).expired(at: .latest, after: nil, limit: 1) })
            #expect(
                expired
                    == ["SEARCH tasks USING COVERING INDEX tasks_by_expiry ((expires_at,id)>(?,?) AND expires_at<?)"])
            let finished = try plans(db, of: { _ = try TaskReading(db).finished(after: nil, limit: 1) })
            #expect(
                finished
                    == ["SEARCH tasks USING COVERING INDEX tasks_by_finish ((finished_at,id)>(?,?) AND finished_at<?)"])
            let events = try plans(db, of: { _ = try EventReading(db).events(after: 1, task: nil, limit: 1) })
            #expect(
                Set(events) == [
                    "SEARCH e USING INTEGER PRIMARY KEY (rowid>?)", "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
                    "SEARCH deletions USING INTEGER PRIMARY KEY (rowid>?)",
                ])
            let cookies = try plans(db, of: { _ = try SessionReading(db).cookies("a") })
            #expect(cookies == ["SEARCH cookies USING PRIMARY KEY (session=?)"])
        }
    }

    @Test("Turns, tasks of idempotency keys and events of a task are found by key")
    func keys() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await store.insert(.sample(1))
        await store.close()
        try folder.plain { db in
            let turn = try plans(
                db,
                of: { _ = try OrderingKeys(OrderingStatements(db)).isTaken(Data("k".utf8), session: "a") })
            #expect(turn == ["SEARCH tasks USING INDEX tasks_by_key (session=? AND ordering_key=?)"])
            let keys = IdempotencyKeys(try IdempotencyStatements(db))
            let claim = try plans(db, of: { _ = try keys.replay(of: .sample("a"), at: .latest) })
            #expect(
                claim == [
                    "SEARCH idempotency_claims USING INDEX idempotency_claims_by_key (owner=? AND key=?)"
                ])
            let events = try plans(db, of: { _ = try EventReading(db).events(after: 0, task: .sample(1), limit: 9) })
            #expect(events.contains("SEARCH e USING INDEX events_by_task (number=? AND id>?)"))
            var query = TaskQuery()
            query.parent = .sample(1)
            query.sessions = Set((0..<100).map { "s\($0)" })
            query.states = [.failed]
            query.labels = ["a": "b"]
            let children = try plans(db, of: { _ = try TaskReading(db).identifiers(query) })
            #expect(children.first == "SEARCH tasks USING INDEX tasks_by_parent (parent=? AND id>? AND id<?)")
        }
    }

    @Test("A list of few or many sessions scans no task of another session", arguments: [1, 7, 8, 100])
    func sessions(count: Int) async throws {
        let folder = try StoreFolder()
        try await folder.open().close()
        try folder.plain { db in
            for states: Set<TaskState> in [[], [.failed, .canceled]] {
                for kind in [nil, TaskKind.data] {
                    var query = TaskQuery()
                    query.sessions = Set((0..<count).map { "s\($0)" })
                    query.states = states
                    query.kind = kind
                    let steps = try plans(db, of: { _ = try TaskReading(db).tasks(query) })
                    let searches = steps.filter { $0.hasPrefix("SEARCH") }
                    #expect(searches.count == count * (states.isEmpty ? TaskState.allCases.count : states.count))
                    #expect(
                        searches.allSatisfy {
                            $0.contains("tasks_by_session (session=? AND state=? AND id>? AND id<?)")
                        })
                    #expect(!steps.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") })
                }
            }
        }
    }

    @Test(
        "A late page in the order of the end costs about as much as the first, also among tasks that ended together",
        arguments: [1, 2000])
    func latePages(together: Int) async throws {
        let folder = try StoreFolder()
        try await folder.open().close()
        let count = 2000
        func end(_ number: Int) -> Timestamp { TaskID.sample(number / together).timestamp }
        try folder.plain { db in
            try db.inTransaction {
                let insert = try db.makeStatement(
                    sql: """
                        INSERT INTO tasks (
                            id, session, kind, state, priority, created_at, updated_at, finished_at, revision,
                            attempt_count)
                        VALUES (?, 'a', 'data', 'failed', 5, 0, 0, ?, 1, 1)
                        """)
                for number in 0..<count {
                    try insert.execute(arguments: [TaskID.sample(number).blob, end(number).milliseconds])
                }
                return .commit
            }
            for order in [TaskOrder.lastFinished, .firstFinished] {
                let all = order.isDescending ? Array((0..<count).reversed()) : Array(0..<count)
                var query = TaskQuery()
                query.order = order
                query.pageSize = 10
                let first = try page(query, db)
                #expect(first.found == all.prefix(11).map { TaskID.sample($0) })
                for index in [9, count / 2, count - 12] {
                    var next = query
                    next.start(after: .sample(all[index]), finishedAt: end(all[index]))
                    let late = try page(next, db)
                    #expect(late.found == all[(index + 1)...].prefix(11).map { TaskID.sample($0) })
                    #expect(late.steps < 2 * first.steps, "\(order) after \(index)")
                }
                // A relative time has passed the last task meanwhile.
                guard together == 1 else { continue }
                var moved = query
                moved.start(after: .sample(all[9]), finishedAt: end(all[9]))
                if order.isDescending {
                    moved.finishedBefore = end(all[1000])
                } else {
                    moved.finishedAfter = end(all[1000])
                }
                let later = try page(moved, db)
                #expect(later.found == all[1001...].prefix(11).map { TaskID.sample($0) })
                #expect(later.steps < 2 * first.steps)
            }
        }
    }

    /// Returns the tasks of a page in an order by end, with the one that follows, and the steps that SQLite made.
    private func page(_ query: TaskQuery, _ db: Database) throws -> (found: [TaskID], steps: Int) {
        let plan = EndListPlan(query, try #require(query.identifiers))
        let statement = try db.makeStatement(sql: plan.sql)
        let found = try Row.fetchAll(statement, arguments: plan.arguments).map { try FoundTask($0).id }
        return (found, Int(sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, 0)))
    }

    /// Returns the plan steps of the statements that an operation runs.
    private func plans(_ db: Database, of work: () throws -> Void) throws -> [String] {
        let seen = Seen(comparesValues: true)
        db.trace { seen.add($0) }
        try work()
        db.trace(options: [])
        return try seen.statements.flatMap { try plan(db, of: $0) }
    }

    private func plan(_ db: Database, of sql: String) throws -> [String] {
        try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
    }
}

/// The statements that a connection has run, with their values.
private final class Seen {
    private let comparesValues: Bool
    private var examples: [String: String] = [:]

    /// Creates an empty list.
    ///
    /// - Parameter comparesValues: False to keep a statement once, with the values of its first run.
    init(comparesValues: Bool) {
        self.comparesValues = comparesValues
    }

    var statements: some Collection<String> { examples.values }

    func add(_ event: Database.TraceEvent) {
        let statement = comparesValues ? event.expandedDescription : event.description
        // Pragmas, and the statements that SQLite runs for foreign keys, have no plan to check.
        guard !statement.hasPrefix("PRAGMA"), !statement.hasPrefix("--"), examples[statement] == nil else { return }
        examples[statement] = event.expandedDescription
    }
}

extension TaskQuery {
    /// Returns the fewest sessions whose walks, one for each session and state, are more than one statement merges.
    private static func sessionsForManyWalks(with states: Set<TaskState>) -> Set<String> {
        let count = SessionListQuery.maxMerged / (states.isEmpty ? TaskState.allCases.count : states.count) + 1
        return Set((0..<count).map { "s\($0)" })
    }

    /// Queries for each combination of filters, with one and with several values.
    fileprivate static var shapes: [TaskQuery] {
        var shapes: [TaskQuery] = []
        for states: Set<TaskState> in [[], [.failed], [.failed, .canceled]] {
            for sessions: Set<String>? in [nil, ["a"], ["a", "b"], sessionsForManyWalks(with: states)] {
                for kind in [nil, TaskKind.data] {
                    for labels in [[:], ["a": "b"], ["a": "b", "c": "d"]] {
                        for (after, parent) in [(nil, nil), (TaskID.sample(5), nil), (nil, TaskID.sample(6))] {
                            var query = TaskQuery()
                            query.parent = parent
                            query.states = states
                            query.sessions = sessions
                            query.kind = kind
                            query.labels = labels
                            query.after = after
                            query.createdAfter = after.map { _ in TaskID.sample(1).timestamp }
                            shapes.append(query)
                        }
                    }
                }
            }
        }
        let filtered = shapes.map { shape in
            var query = shape
            query.finishedAfter = TaskID.sample(1).timestamp
            query.finishedBefore = TaskID.sample(9).timestamp
            query.schedule = "nightly"
            query.isRetried = true
            query.errorCode = "timed_out"
            query.statuses = 500...599
            query.method = "GET"
            query.hold = .ordering
            return query
        }
        let held = [TaskHold.content, .session("rate")].map { hold in
            var query = TaskQuery()
            query.states = [.queued]
            query.hold = hold
            return query
        }
        // Many sessions are many statements, which differ in their order only.
        let sorted = (shapes + filtered.suffix(20)).filter { $0.sessions?.count ?? 0 <= 2 }.flatMap { shape in
            TaskOrder.allCases.dropFirst().map { order in
                var query = shape
                query.order = order
                if let last = query.after { query.start(after: last, finishedAt: last.timestamp) }
                return query
            }
        }
        var manySessions = shapes[shapes.count - 1]
        manySessions.parent = nil
        manySessions.labels = [:]
        manySessions.order = .oldestFirst
        return shapes + filtered + held + sorted + [manySessions]
    }
}
