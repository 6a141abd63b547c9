import ErrandTaskStore
import Testing

extension TaskStoreSuite {
    static let listing: [TaskStoreCheck] = [
        TaskStoreCheck("lists newest first, in pages, without gaps while tasks are added") { store in
            for number in 0..<25 { try await store.insert(.sample(number)) }
            var query = TaskQuery()
            query.pageSize = 10
            var found: [TaskID] = []
            for page in 0... {
                let answer = try await store.tasks(query)
                found += answer.tasks.map(\.id)
                try await store.insert(.sample(100 + page))
                guard let token = answer.next else { break }
                query.after = token.position(in: query)
            }
            #expect(found == (0..<25).reversed().map { .sample($0) })
        },
        TaskStoreCheck("ends a page early if its tasks are large enough") { store in
            for number in 0..<10 {
                var record = TaskRecord.sample(number)
                record.change { $0.specification.request = [UInt8](repeating: 0x20, count: 10_000) }
                try await store.insert(record)
            }
            var query = TaskQuery()
            query.sufficientBytes = 25_000
            var pages: [[TaskID]] = []
            while true {
                let page = try await store.tasks(query)
                pages.append(page.tasks.map(\.id))
                guard let token = page.next else { break }
                query.after = token.position(in: query)
            }
            #expect(pages.map(\.count) == [3, 3, 3, 1])
            #expect(pages.flatMap(\.self) == (0..<10).reversed().map { .sample($0) })
            query.after = nil
            query.sufficientBytes = 1
            #expect(try await store.tasks(query).tasks.count == 1)
            query.sufficientBytes = .max
            #expect(try await store.tasks(query).tasks.count == 10)
        },
        TaskStoreCheck("has no next page if the last one is exactly full") { store in
            for number in 0..<10 { try await store.insert(.sample(number)) }
            var query = TaskQuery()
            query.pageSize = 10
            let page = try await store.tasks(query)
            #expect(page.tasks.count == 10)
            #expect(page.next == nil)
        },
        TaskStoreCheck("returns the identifiers of all tasks that match, in pages") { store in
            for number in 0..<25 {
                try await store.insert(.sample(number, session: number % 5 == 0 ? "other" : "github"))
            }
            var query = TaskQuery()
            query.sessions = ["github"]
            query.pageSize = 6
            var found: [TaskID] = []
            while true {
                let page = try await store.identifiers(query)
                #expect(page.count <= 6)
                guard let last = page.last else { break }
                found += page
                query.after = last
            }
            #expect(found == (0..<25).filter { $0 % 5 != 0 }.reversed().map { .sample($0) })
        },
        TaskStoreCheck("reads the newest child of a kind") { store in
            var children: [TaskRecord] = []
            for (number, kind) in [(1, TaskKind.callback), (2, .callback), (3, .data)] {
                var child = TaskRecord.sample(number, kind: kind)
                child.change { $0.parent = .sample(9) }
                children.append(child)
                try await store.insert(child)
            }
            try await store.insert(.sample(4, kind: .callback))
            #expect(try await store.lastChild(of: .sample(9), kind: .callback) == children[1].listed)
            #expect(try await store.lastChild(of: .sample(9), kind: .data) == children[2].listed)
            #expect(try await store.lastChild(of: .sample(9), kind: .upload) == nil)
            #expect(try await store.lastChild(of: .sample(1), kind: .callback) == nil)
        },
        TaskStoreCheck("lists tasks by as many labels as a task may have") { store in
            let labels = Dictionary(uniqueKeysWithValues: (0..<64).map { ("key\($0)", "value") })
            try await store.insert(.sample(1, labels: labels))
            try await store.insert(.sample(2, labels: labels.merging(["key9": "other"]) { $1 }))
            var query = TaskQuery()
            query.labels = labels
            #expect(try await store.tasks(query).tasks.map(\.id) == [.sample(1)])
        },
        TaskStoreCheck("lists tasks without labels and documents if they are not wanted") { store in
            var record = TaskRecord.detailed(1)
            record.change { $0.result = TaskResult.samples[0] }
            try await store.insert(record)
            for (labels, documents) in [(true, true), (true, false), (false, true), (false, false)] {
                var query = TaskQuery()
                query.showsLabels = labels
                query.showsDocuments = documents
                let found = try #require(try await store.tasks(query).tasks.first)
                var expected = try #require(try await store.tasks(TaskQuery()).tasks.first)
                expected.change {
                    if !labels { $0.labels = [:] }
                    guard !documents else { return }
                    $0.specification = TaskSpecification(task: [], request: [], contentBytes: 0)
                    $0.result = TaskResult()
                }
                #expect(found == expected)
            }
        },
        TaskStoreCheck("includes small objects in a list and omits bodies and large objects") { store in
            let body = Array(#" {"a":1} "#.utf8)
            for (number, object) in [
                StoredObject.none, .slice(1..<8), .json(Array("[1]".utf8)), .omitted,
                .json([UInt8](repeating: 0x20, count: 100)),
            ].enumerated() {
                var record = TaskRecord.sample(number)
                record.change {
                    $0.result.body = .sample(.inline(body))
                    $0.result.object = object
                }
                try await store.insert(record)
            }
            var large = TaskRecord.sample(5)
            large.change {
                $0.result.body = .sample(.inline([UInt8](repeating: 0x31, count: 100)))
                $0.result.object = .slice(0..<100)
            }
            try await store.insert(large)
            var file = TaskRecord.sample(6)
            file.change {
                $0.result.body = .sample(.file)
                $0.result.object = .slice(2..<7)
            }
            try await store.insert(file)
            var query = TaskQuery()
            query.inlineObjectBytes = 50
            let results = try await store.tasks(query).tasks.map(\.result)
            #expect(
                results.reversed().map(\.object) == [
                    .none, .json(Array(#"{"a":1}"#.utf8)), .json(Array("[1]".utf8)), .omitted, .omitted, .omitted,
                    .slice(2..<7),
                ])
            #expect(results.reversed().map { $0.body?.location } == Array(repeating: .inline([]), count: 6) + [.file])
            #expect(results.allSatisfy { $0.body?.size ?? 0 > 0 && $0.body?.sha256.count == 32 })
        },
    ]
}
