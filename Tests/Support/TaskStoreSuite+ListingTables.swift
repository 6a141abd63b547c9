import ErrandTaskStore
import ErrandTime
import Testing

extension TaskStoreSuite {
    static let listingTables: [TaskStoreCheck] = [
        TaskStoreCheck("lists the tasks of many sessions in pages, among those of as many others") {
            store async throws in
            // Each session has four tasks. The walks of half of them, one for each state, are more than one statement
            // merges, also with four states.
            let (count, sessions) = (136, 34)
            let samples = (0..<count).map { number in
                TaskRecord.sample(
                    number, session: "session-\(number * 7 % sessions)", kind: number % 3 == 0 ? .upload : .data,
                    state: TaskState.allCases[number % TaskState.allCases.count])
            }
            try await store.insert(all: samples)
            let filters: [(TaskKind?, Set<TaskState>)] = [
                (nil, []), (.upload, []), (nil, Set(TaskState.allCases.prefix(4))),
            ]
            for (kind, states) in filters {
                var query = TaskQuery()
                query.sessions = Set((0..<sessions / 2).map { "session-\($0)" })
                query.kind = kind
                query.states = states
                query.pageSize = 9
                let expected = samples.filter { query.selects($0) }.map(\.id).sorted(by: >)
                #expect(expected.count > 2 * query.pageSize)
                let found = try await store.identifiers(inPagesOf: query)
                #expect(found == expected)
            }
        },
        TaskStoreCheck("lists the tasks that pass each filter and each combination") { store async throws in
            let samples = TaskRecord.variety
            try await store.insert(all: samples)
            let newestFirst = samples.sorted { $0.id > $1.id }
            for query in TaskQuery.variety {
                let matching = newestFirst.filter { query.selects($0) }
                let expected = matching.prefix(query.pageSize).map(\.id)
                let page = try await store.tasks(query)
                #expect(page.tasks.map(\.id) == expected, "\(query)")
                #expect((page.next != nil) == (matching.count > query.pageSize), "\(query)")
                #expect(try await store.identifiers(query) == expected, "\(query)")
                #expect(try await store.counts(matching: query) == query.counts(of: matching), "\(query)")
            }
        },
    ]
}

extension TaskRecord {
    /// Tasks that differ in every filtered property.
    fileprivate static var variety: [TaskRecord] {
        (0..<180).map { number in
            var labels: [String: String] = [:]
            if number % 2 == 0 { labels["team"] = "billing" }
            if number % 5 == 0 { labels["team"] = "search" }
            if number % 3 == 0 { labels["env"] = "prod" }
            if number % 7 == 0 { labels["tier"] = "1" }
            var record = TaskRecord.sample(
                number, session: ["github", "gitlab", "s3"][number / 2 % 3], kind: TaskKind.allCases[number / 5 % 3],
                state: TaskState.allCases[number % TaskState.allCases.count], labels: labels)
            if number % 4 == 0 { record.change { $0.parent = .sample(5000 + number % 3) } }
            return record
        }
    }
}

extension TaskQuery {
    /// Each filter alone, and each combination of filters.
    fileprivate static var variety: [TaskQuery] {
        let times: [(Timestamp?, Timestamp?)] = [
            (nil, nil), (TaskID.sample(20).timestamp, nil), (nil, TaskID.sample(160).timestamp),
            (TaskID.sample(100).timestamp, TaskID.sample(103).timestamp),
            (TaskID.sample(50).timestamp, TaskID.sample(50).timestamp),
        ]
        var queries: [TaskQuery] = []
        for states: Set<TaskState> in [[], [.failed], [.queued, .running, .succeeded], Set(TaskState.allCases)] {
            for sessions: Set<String>? in [nil, ["github"], ["gitlab", "s3", "unknown"], []] {
                for kind in [nil, TaskKind.upload] {
                    for labels in [[:], ["team": "billing"], ["team": "search", "env": "prod", "tier": "1"]] {
                        for (after, before) in times {
                            var query = TaskQuery()
                            query.states = states
                            query.sessions = sessions
                            query.kind = kind
                            query.labels = labels
                            query.createdAfter = after
                            query.createdBefore = before
                            query.pageSize = 7
                            queries.append(query)
                        }
                    }
                }
            }
        }
        for plain in queries {
            var query = plain
            query.parent = .sample(5001)
            queries.append(query)
        }
        var manySessions = TaskQuery()
        // More walks than one statement merges, also with two states.
        manySessions.sessions = Set((0..<40).map { "session-\($0)" } + ["github"])
        queries.append(manySessions)
        manySessions.states = [.failed, .waiting]
        queries.append(manySessions)
        manySessions.parent = .sample(5000)
        manySessions.states = []
        queries.append(manySessions)
        return queries
    }
}
