import ErrandSupport
import ErrandTaskStore
import ErrandTime
import GRDB
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("TaskColumn")
struct TaskColumnTests {
    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
    }

    @Test("The columns of a task are those of the table, each once")
    func names() async throws {
        try await folder.open().close()
        let columns = try folder.plain { db in
            try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('tasks')")
        }
        #expect(columns.sorted() == (TaskColumn.allCases.map(\.name) + ["number"]).sorted())
    }

    @Test("The smallest change leaves out exactly those columns of a new state on which an index depends")
    func smallestChanges() async throws {
        try await folder.open().close()
        let indexed = try folder.plain { db in
            try TaskChange.state.columns.filter { column in
                let sql = "UPDATE tasks SET \(column.name) = ? WHERE number = ?"
                return try Self.operations(sql, in: db).contains("IdxDelete")
            }
        }
        #expect(indexed == TaskChange.state.columns.filter { $0.smallestChange != .unindexed })
    }

    @Test(
        "An update rewrites the entries of those indexes only that it can change",
        arguments: [(TaskChange.state, 9), (TaskChange.indexed, 6), (TaskChange.unindexed, 0)])
    func indexes(change: TaskChange, count: Int) async throws {
        try await folder.open().close()
        let operations = try folder.plain { db in try Self.operations(change.sql, in: db) }
        #expect(operations.filter { $0 == "IdxDelete" }.count == count)
    }

    @Test("No write in the life of a task needs a statement journal")
    func statementJournals() async throws {
        try await folder.open().close()
        // SQLite counts the violations of foreign keys in those statements only that can fail half way.
        let isCounting = try folder.plain { db in
            let statements = try WriteStatements(db)
            let once = [
                statements.insertTask, statements.insertSpecification, statements.insertLabel, statements.insertResult,
                statements.updateResult, statements.events.write,
            ]
            let all = once.map(\.sql) + TaskChange.allCases.map(\.sql)
            return try all.map { sql in try Self.operations(sql, in: db).contains("FkCounter") }
        }
        #expect(!isCounting.contains(true))
    }

    @Test("Each column is read as it was written, by an insertion and by each kind of change", arguments: 1...8)
    func roundTrip(seed: Int) async throws {
        var random = SplitMix64(seed: UInt64(seed))
        let store = try folder.open()
        for number in 1...20 {
            var record = TaskRecord.detailed(number)
            if Bool.random(using: &random) { record = TaskRecord.sample(number) }
            record.change { $0.change(within: .state, using: &random) }
            if record.orderingKey != nil { record.change { $0.orderingKey = "\(number)" } }
            try await store.insert(record)
            #expect(try await store.task(record.id) == record)
            for change in TaskChange.allCases.shuffled(using: &random) {
                let expected = record.revision
                record.change {
                    $0.change(within: change, using: &random)
                    $0.revision = expected + 1
                }
                #expect(try await store.update(TaskUpdate(record, expecting: expected)) == .stored(nil))
                #expect(try await store.task(record.id) == record)
            }
        }
        await store.close()
    }

    private static func operations(_ sql: String, in db: Database) throws -> [String] {
        let statement = try db.makeStatement(sql: "EXPLAIN \(sql)")
        // The values do not matter.
        statement.setUncheckedArguments(StatementArguments())
        return try Row.fetchAll(statement).map { $0["opcode"] as String }
    }
}

extension TaskRecord.Values {
    /// Changes properties at random, at most to a given extent.
    fileprivate mutating func change(within change: TaskChange, using random: inout SplitMix64) {
        updatedAt = .random(using: &random)
        startedAt = .maybe(using: &random)
        attemptCount = Int.random(in: 0...1_000_000, using: &random)
        bytesPerSecond = Bool.random(using: &random) ? nil : Int64.random(in: 1...Int64.max, using: &random)
        isDelayed = Bool.random(using: &random)
        keepsPartialFile = Bool.random(using: &random)
        clockOffset = .milliseconds(Int64.random(in: .min ... .max, using: &random))
        let results = [TaskResult()] + TaskResult.samples
        result = results[Int.random(in: 0..<results.count, using: &random)]
        guard change != .unindexed else { return }
        priority = Int.random(in: 0...9, using: &random)
        readyAt = Bool.random(using: &random) ? createdAt : Timestamp.random(using: &random)
        notBefore = .maybe(using: &random)
        nextAttemptAt = .maybe(using: &random)
        finishedAt = .maybe(using: &random)
        expiresAt = .maybe(using: &random)
        deadline = .maybe(using: &random)
        let isInAttempt = Bool.random(using: &random)
        if state == .suspended, let other = TaskLifecycle(state: .suspended, hasOpenAttempt: isInAttempt) {
            life = other
        }
        guard change == .state else { return }
        state = TaskState.allCases[Int.random(in: 0..<TaskState.allCases.count, using: &random)]
    }
}

extension Timestamp {
    fileprivate static func random(using random: inout SplitMix64) -> Timestamp {
        Timestamp(milliseconds: .random(in: earliest.milliseconds...latest.milliseconds, using: &random))
    }
}

extension Optional<Timestamp> {
    fileprivate static func maybe(using random: inout SplitMix64) -> Timestamp? {
        guard Bool.random(using: &random) else { return nil }
        return Timestamp.random(using: &random)
    }
}
