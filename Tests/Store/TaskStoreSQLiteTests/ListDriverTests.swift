import ErrandSupport
import ErrandTaskStore
import GRDB
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("ListDriver")
struct ListDriverTests {
    @Test("The filter with the fewest tasks drives a list of any kind, and finds the same tasks")
    func best() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        for number in 0..<400 {
            var labels = ["all": "1"]
            if number % 100 == 7 { labels["few"] = "1" }
            try await store.insert(
                .sample(
                    number, kind: number == 7 ? .callback : .data, state: number % 50 == 7 ? .failed : .queued,
                    labels: labels))
        }
        func query(_ labels: [String], _ states: Set<TaskState> = [], _ kind: TaskKind? = nil) -> TaskQuery {
            var query = TaskQuery()
            for label in labels { query.labels[label] = "1" }
            query.states = states
            query.kind = kind
            return query
        }
        let rows: [(query: TaskQuery, driver: ListDriver, found: Int)] = [
            (query(["all"]), .label("all"), 400),
            (query(["all", "few"]), .label("few"), 4),
            (query(["all"], [.failed]), .tasks, 8),
            (query(["all", "few"], [.failed]), .label("few"), 4),
            (query(["all"], [.queued], .callback), .kind, 0),
            (query([], [.failed], .callback), .tasks, 1),
            (query([], [.queued]), .tasks, 392),
            (query(["none", "all"]), .label("none"), 0),
            (query([]), .tasks, 400),
        ]
        for row in rows {
            var query = row.query
            query.pageSize = 1000
            #expect(try await store.identifiers(query).count == row.found, "\(query)")
        }
        await store.close()
        try folder.plain { db in
            for row in rows {
                let identifiers = try #require(row.query.identifiers)
                #expect(try ListDriver.best(for: row.query, within: identifiers, in: db) == row.driver, "\(row.query)")
            }
        }
    }

    @Test("Only a count is driven by the end of the tasks, if few have ended in that time")
    func ends() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        for number in 0..<400 {
            var record = TaskRecord.sample(number, session: number < 3 ? "few" : "many", state: .failed)
            record.change { $0.finishedAt = $0.createdAt }
            try await store.insert(record)
        }
        await store.close()
        let rows: [(after: Int, sessions: Set<String>?, driver: ListDriver)] = [
            (390, ["many"], .finish), (100, ["many"], .tasks), (390, nil, .finish), (390, ["few"], .tasks),
            (390, Set((0..<100).map { "s\($0)" }), .tasks),
        ]
        try folder.plain { db in
            for row in rows {
                var query = TaskQuery()
                query.sessions = row.sessions
                query.finishedAfter = TaskID.sample(row.after).timestamp
                let identifiers = try #require(query.identifiers)
                #expect(try ListDriver.best(for: query, within: identifiers, inOrder: false, in: db) == row.driver)
                #expect(try ListDriver.best(for: query, within: identifiers, in: db) == .tasks)
            }
        }
    }
}
