import ErrandTaskStore
import ErrandTime
import Testing

extension TaskStoreSuite {
    static let finding: [TaskStoreCheck] = [
        TaskStoreCheck("finds tasks that wait for their content, or for an earlier task of their ordering key") {
            store in
            for number in 0..<6 {
                var record = TaskRecord.sample(number, state: number == 5 ? .scheduled : .queued)
                record.change {
                    if number < 3 { $0.orderingKey = "k" }
                    if number == 4 { $0.content = .stored(size: 1, sha256: [UInt8](repeating: 0, count: 32)) }
                    if number == 5 { $0.content = .awaited(until: $0.createdAt.adding(.seconds(1))) }
                }
                try await store.insert(record)
            }
            var query = TaskQuery()
            for (hold, states, expected) in [
                (.content, [], [5]), (.ordering, [], [2, 1]), (.session("rate"), [.queued], [4, 3, 0]),
                (.ordering, [.scheduled], []),
            ] as [(TaskHold, Set<TaskState>, [Int])] {
                (query.hold, query.states) = (hold, states)
                #expect(try await store.identifiers(query) == expected.map { .sample($0) }, "\(hold)")
                let counts = try await store.counts(matching: query)
                #expect(counts.values.reduce(0, +) == expected.count, "\(hold)")
                for number in 0..<6 {
                    let record = try #require(try await store.task(.sample(number)))
                    #expect(query.stillMatches(record) == expected.contains(number), "\(hold) \(number)")
                }
            }
        }
    ]

    static let findingTables: [TaskStoreCheck] = [
        TaskStoreCheck("finds tasks by their end, schedule and repetition, with every other filter") {
            store async throws in
            let newestFirst = try await store.insertFindable().sorted { $0.id > $1.id }
            for walk in TaskQuery.walks {
                for filter in TaskQuery.rowFilters {
                    var query = walk
                    query.finishedAfter = filter.finishedAfter
                    query.finishedBefore = filter.finishedBefore
                    query.schedule = filter.schedule
                    query.isRetried = filter.isRetried
                    let matching = newestFirst.filter { query.selects($0) }
                    let expected = matching.prefix(query.pageSize).map(\.id)
                    #expect(try await store.identifiers(query) == expected, "\(query)")
                    let page = try await store.tasks(query)
                    #expect(page.tasks.map(\.id) == expected, "\(query)")
                    #expect((page.next != nil) == (matching.count > query.pageSize), "\(query)")
                    #expect(try await store.counts(matching: query) == query.counts(of: matching), "\(query)")
                }
            }
        }
    ]
}

extension TaskStore {
    /// Adds tasks that differ in their end, schedule and repetition, and returns them as stored.
    fileprivate func insertFindable() async throws -> [TaskRecord] {
        var records: [TaskRecord] = []
        for number in 0..<60 {
            var record = TaskRecord.sample(
                number, session: number % 2 == 0 ? "github" : "session-3", kind: number % 10 == 0 ? .upload : .data,
                state: number % 3 == 0 ? .queued : .failed, labels: number % 4 < 2 ? ["team": "billing"] : [:])
            record.change {
                if number % 3 != 0 { $0.finishedAt = $0.createdAt.adding(.milliseconds(1000 - 10 * number)) }
                if number % 5 == 0 { $0.schedule = "nightly" }
                if number % 7 < 3 { $0.parent = .sample(5000) }
            }
            records.append(record)
        }
        try await insert(all: records)
        for number in stride(from: 0, to: 60, by: 4) {
            var retry = TaskRecord.sample(100 + number)
            retry.change { $0.retryOf = .sample(number) }
            try await insert(retry)
            records[number].change { $0.retriedBy = retry.id }
            records.append(retry)
        }
        return records
    }
}

extension TaskQuery {
    /// Queries that are answered by each kind of walk, with pages of seven tasks.
    fileprivate static var walks: [TaskQuery] {
        var walks = [TaskQuery](repeating: TaskQuery(), count: 8)
        walks[1].states = [.failed]
        walks[2].sessions = ["github"]
        // More walks, one for each session and state, than one statement merges.
        walks[3].sessions = Set((0..<10).map { "session-\($0)" })
        walks[4].kind = .upload
        walks[5].labels = ["team": "billing"]
        walks[6].parent = .sample(5000)
        walks[7].states = [.failed, .queued]
        walks[7].labels = ["team": "billing"]
        walks[7].kind = .data
        for index in walks.indices { walks[index].pageSize = 7 }
        return walks
    }

    /// Each filter that is tested row by row, and combinations of them.
    fileprivate static var rowFilters: [TaskQuery] {
        var filters = [TaskQuery](repeating: TaskQuery(), count: 8)
        let end = TaskID.sample(30).timestamp.adding(.milliseconds(700))
        filters[0].finishedAfter = end
        filters[1].finishedBefore = end
        filters[2].finishedAfter = end.adding(.milliseconds(-150))
        filters[2].finishedBefore = end.adding(.milliseconds(150))
        filters[3].schedule = "nightly"
        filters[4].isRetried = true
        filters[5].isRetried = false
        filters[6].schedule = "weekly"
        filters[7].finishedAfter = end
        filters[7].schedule = "nightly"
        filters[7].isRetried = false
        return filters
    }
}
