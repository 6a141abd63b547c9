import GRDB
import Support
import TaskStore
import Testing

@testable import TaskStoreSQLite

@Suite("Query plans")
struct QueryPlanTests {
    @Test("No statement that a client or the dispatcher can cause walks a table or sorts what it has found")
    func everyStatement() async throws {
        let folder = try StoreFolder()
        try await folder.open().close()
        let statements = try folder.plain { db -> Set<String> in
            // What the statements are, as SQLite sees them: those of the reader and the writer, for every kind of query.
            let seen = Seen()
            db.trace { seen.add($0.expandedDescription) }
            let reading = TaskReading(db)
            for query in TaskQuery.shapes { _ = try reading.tasks(query) }
            _ = try reading.task(.sample(1))
            _ = try reading.queued(session: "a", after: QueuePosition(priority: 5, id: .sample(1)), limit: 10)
            _ = try reading.interrupted(after: nil, limit: 10)
            _ = try reading.expired(at: .latest, limit: 10)
            var writing = TaskWriting(db, try WriteStatements(db))
            var record = TaskRecord.sample(1, labels: ["team": "billing"])
            record.result = TaskResult.samples[0]
            _ = try writing.perform(.insert(record))
            _ = try reading.task(.sample(1))
            _ = try reading.tasks(TaskQuery())
            _ = try writing.perform(.update(record, expecting: 1))
            _ = try writing.perform(.update(.sample(1), expecting: 1))
            _ = try writing.perform(.delete(.sample(1)))
            db.trace(options: [])
            return seen.statements
        }
        #expect(statements.count > 100)
        for sql in statements {
            let plan = try folder.plain { db in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
            }
            let isOrderedWalk = { (step: String) in step == "SCAN tasks USING INDEX tasks_by_id" }
            for step in plan where step.hasPrefix("SCAN") || step.contains("TEMP B-TREE") {
                #expect(isOrderedWalk(step), "\(step) in \(sql)")
            }
        }
    }
}

private final class Seen {
    private(set) var statements: Set<String> = []

    func add(_ statement: String) {
        // Pragmas and the statements of foreign keys have no plan of ours.
        guard !statement.hasPrefix("PRAGMA"), !statement.hasPrefix("--") else { return }
        statements.insert(statement)
    }
}

extension TaskQuery {
    /// A query for each combination of filters, with one and with several values.
    fileprivate static var shapes: [TaskQuery] {
        var shapes: [TaskQuery] = []
        for states: Set<TaskState> in [[], [.failed], [.failed, .canceled]] {
            for sessions: Set<String>? in [nil, ["a"], ["a", "b"], Set((0..<100).map { "s\($0)" })] {
                for kind in [nil, TaskKind.data] {
                    for labels in [[:], ["a": "b"], ["a": "b", "c": "d"]] {
                        for after in [nil, TaskID.sample(5)] {
                            var query = TaskQuery()
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
        return shapes
    }
}
