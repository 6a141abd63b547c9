import ErrandTaskStore
import ErrandTime
import Testing

extension TaskStoreSuite {
    static let sorting: [TaskStoreCheck] = [
        TaskStoreCheck("lists, identifies and counts the tasks that pass each filter, in each order, in pages") {
            store async throws in
            let all = try await store.insertForEachFilter()
            for filter in TaskQuery.eachFilter {
                let matching = all.filter { filter.selects($0) }
                #expect(!matching.isEmpty && matching.count < all.count, "\(filter)")
                var expected = matching.map(\.id).sorted(by: >)
                #expect(try await store.tasks(filter).tasks.map(\.id) == expected, "\(filter)")
                #expect(try await store.identifiers(filter) == expected, "\(filter)")
                #expect(try await store.counts(matching: filter) == filter.counts(of: matching), "\(filter)")
                var query = filter
                query.pageSize = 1
                query.order = .oldestFirst
                expected.reverse()
                #expect(try await store.identifiers(query) == Array(expected.prefix(1)), "\(query)")
            }
            for order in TaskOrder.allCases {
                var query = TaskQuery()
                query.order = order
                query.pageSize = 5
                let expected = all.filter { query.selects($0) }.sorted(by: order.precedes).map(\.id)
                let found = try await store.identifiers(inPagesOf: query)
                #expect(found == expected, "\(order)")
            }
        }
    ]

    static let sortingTables: [TaskStoreCheck] = [
        TaskStoreCheck("lists in each order, in pages, with every other filter") { store async throws in
            let all = try await store.insertSortable()
            for order in TaskOrder.allCases {
                let sorted = all.sorted(by: order.precedes)
                for filter in TaskQuery.filters {
                    var query = filter
                    query.order = order
                    query.pageSize = 7
                    let expected = sorted.filter { query.selects($0) }.map(\.id)
                    #expect(try await store.identifiers(query) == Array(expected.prefix(7)), "\(query)")
                    let found = try await store.identifiers(inPagesOf: query)
                    #expect(found == expected, "\(query)")
                }
            }
        }
    ]
}

extension TaskStore {
    /// Adds tasks that end in another order than that of their creation, several at the same time, and some not at all.
    fileprivate func insertSortable() async throws -> [TaskRecord] {
        var records: [TaskRecord] = []
        for number in 0..<60 {
            var record = TaskRecord.sample(
                number, session: "session-\(number % 4)", kind: number % 2 == 0 ? .upload : .data,
                state: number % 5 == 0 ? .queued : .failed, labels: number % 3 == 0 ? [:] : ["team": "billing"])
            record.change {
                if number % 5 > 0 { $0.finishedAt = .sortingEpoch.adding(.seconds(number * 7 % 20)) }
                if number % 7 < 5 { $0.parent = .sample(5000) }
            }
            records.append(record)
        }
        try await insert(all: records)
        return records
    }

    /// Adds a few tasks, of which each filter finds some, and returns them as stored.
    fileprivate func insertForEachFilter() async throws -> [TaskRecord] {
        var records: [TaskRecord] = []
        for number in 0..<12 {
            var record = TaskRecord.sample(
                number, session: number % 2 == 0 ? "github" : "gitlab", kind: number % 3 == 0 ? .upload : .data,
                state: number % 4 == 0 ? .queued : .failed, labels: number % 5 < 2 ? ["team": "billing"] : [:])
            record.change {
                if number % 4 > 0 { $0.finishedAt = .sortingEpoch.adding(.seconds(number * 7 % 12)) }
                if number % 3 == 1 { $0.schedule = "nightly" }
                if number % 4 < 2 { $0.parent = .sample(5000) }
            }
            records.append(record)
        }
        try await insert(all: records)
        var retry = TaskRecord.sample(20)
        retry.change { $0.retryOf = .sample(1) }
        try await insert(retry)
        records[1].change { $0.retriedBy = retry.id }
        return records + [retry]
    }
}

extension Timestamp {
    fileprivate static let sortingEpoch = TaskID.sample(100).timestamp
}

extension TaskOrder {
    /// Returns true if a task comes before another, by a simple implementation.
    fileprivate func precedes(_ left: TaskRecord, _ right: TaskRecord) -> Bool {
        let left = (isByEnd ? left.finishedAt ?? .earliest : .earliest, left.id)
        let right = (isByEnd ? right.finishedAt ?? .earliest : .earliest, right.id)
        return isDescending ? left > right : left < right
    }
}

extension TaskQuery {
    /// Each filter alone.
    fileprivate static var eachFilter: [TaskQuery] {
        var filters = [TaskQuery](repeating: TaskQuery(), count: 12)
        filters[0].states = [.failed]
        filters[1].sessions = ["github"]
        filters[2].kind = .upload
        filters[3].labels = ["team": "billing"]
        filters[4].parent = .sample(5000)
        filters[5].createdAfter = TaskID.sample(3).timestamp
        filters[6].createdBefore = TaskID.sample(9).timestamp
        filters[7].range = TaskID.sample(3)...TaskID.sample(9)
        filters[8].finishedAfter = .sortingEpoch.adding(.seconds(3))
        filters[9].finishedBefore = .sortingEpoch.adding(.seconds(9))
        filters[10].schedule = "nightly"
        filters[11].isRetried = true
        return filters
    }

    /// Each filter alone, and some together.
    fileprivate static var filters: [TaskQuery] {
        var filters = [TaskQuery](repeating: TaskQuery(), count: 13)
        filters[1].states = [.failed, .canceled]
        filters[2].sessions = ["session-1", "session-2"]
        // More walks, one for each session and state, than one statement merges.
        filters[3].sessions = Set((1..<10).map { "session-\($0)" })
        filters[4].kind = .upload
        filters[5].labels = ["team": "billing"]
        filters[6].parent = .sample(5000)
        filters[7].createdAfter = TaskID.sample(10).timestamp
        filters[7].createdBefore = TaskID.sample(50).timestamp
        filters[8].finishedAfter = .sortingEpoch.adding(.seconds(3))
        filters[8].finishedBefore = .sortingEpoch.adding(.seconds(15))
        filters[9].finishedAfter = .sortingEpoch.adding(.seconds(3))
        filters[9].labels = ["team": "billing"]
        filters[9].states = [.failed]
        filters[9].sessions = ["session-1", "session-2", "session-3"]
        filters[10].sessions = []
        filters[11].range = TaskID.sample(10)...TaskID.sample(50)
        filters[12].range = TaskID.sample(10)...TaskID.sample(50)
        filters[12].sessions = filters[3].sessions
        return filters
    }
}
