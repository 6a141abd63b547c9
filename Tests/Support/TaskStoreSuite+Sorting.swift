import ErrandTaskStore
import ErrandTime
import Testing

extension TaskStoreSuite {
    static let sorting: [TaskStoreCheck] = [
        TaskStoreCheck("lists in each order, in pages, with every other filter") { store in
            let all = try await store.insertSortable()
            for order in TaskOrder.allCases {
                for filter in TaskQuery.filters {
                    var query = filter
                    query.order = order
                    query.pageSize = 7
                    let expected = all.filter { query.selects($0) }.sorted(by: order.precedes).map(\.id)
                    #expect(try await store.identifiers(query) == Array(expected.prefix(7)), "\(query)")
                    var found: [TaskID] = []
                    while true {
                        let page = try await store.tasks(query)
                        found += page.tasks.map(\.id)
                        guard let next = page.next, found.count < 100 else { break }
                        #expect(page.tasks.count == 7)
                        let token = try #require(PageToken(next.description))
                        query.start(after: try #require(token.position(in: query)), finishedAt: token.finishedAt)
                    }
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
            try await insert(record)
            records.append(record)
        }
        return records
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
    /// Each filter alone, and some together.
    fileprivate static var filters: [TaskQuery] {
        var filters = [TaskQuery](repeating: TaskQuery(), count: 13)
        filters[1].states = [.failed, .canceled]
        filters[2].sessions = ["session-1", "session-2"]
        filters[3].sessions = Set((1..<100).map { "session-\($0)" })
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
        filters[12].sessions = Set((1..<100).map { "session-\($0)" })
        return filters
    }
}
