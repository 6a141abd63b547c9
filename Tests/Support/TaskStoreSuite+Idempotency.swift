package import ErrandTaskStore
package import ErrandTime
import Testing

extension TaskStoreSuite {
    static let idempotency: [TaskStoreCheck] = [
        TaskStoreCheck("adds each task of a batch separately, and returns the results in order") {
            store async throws in
            try await store.insert(.sample(2))
            var tasks = (0..<5).map { NewTask(.sample($0)) }
            tasks.append(NewTask(.sample(4, session: "other")))
            let results = await store.insert(tasks)
            #expect(
                results.map { try? $0.get() } == [
                    .inserted(isBlocked: false), .inserted(isBlocked: false), nil, .inserted(isBlocked: false),
                    .inserted(isBlocked: false), nil,
                ])
            for result in [results[2], results[5]] {
                #expect(throws: TaskStoreError(.exists, "A task with this identifier exists already")) {
                    try result.get()
                }
            }
            #expect(try await store.counts().total == 5)
            #expect(try await store.counts().sessions == ["github"])
            #expect(await store.insert([NewTask]()).isEmpty)
        },
        TaskStoreCheck("replays the task of a used key, or refuses another payload") {
            store async throws in
            let first = NewTask(.sample(1), idempotency: .sample("a"))
            #expect(try await store.insert(first) == .inserted(isBlocked: false))
            #expect(try await store.insert(NewTask(.sample(2), idempotency: .sample("a"))) == .replayed(.sample(1)))
            #expect(try await store.insert(NewTask(.sample(3), idempotency: .sample("a", payload: 2))) == .keyReused)
            #expect(try await store.counts().total == 1)
            #expect(try await store.events(after: 0, task: nil, limit: 10).count == 1)
            // Claims with another owner, or another key.
            for (number, claim) in [
                IdempotencyClaim.sample("a", owner: "other"), .sample("b"), .sample("A"), .sample("a\u{0}"),
            ].enumerated() {
                let task = NewTask(.sample(10 + number), idempotency: claim)
                #expect(try await store.insert(task) == .inserted(isBlocked: false))
            }
        },
        TaskStoreCheck("handles tasks of one batch that share a key like two calls") {
            store async throws in
            let results = await store.insert([
                NewTask(.sample(1), idempotency: .sample("a")), NewTask(.sample(2), idempotency: .sample("a")),
                NewTask(.sample(3), idempotency: .sample("a", payload: 2)), NewTask(.sample(4)),
            ])
            #expect(
                results.map { try? $0.get() } == [
                    .inserted(isBlocked: false), .replayed(.sample(1)), .keyReused, .inserted(isBlocked: false),
                ])
        },
        TaskStoreCheck("lets one of many requests with the same key create the task") { store async throws in
            let answers = await withTaskGroup(of: Insertion?.self) { group in
                for number in 0..<50 {
                    group.addTask { try? await store.insert(NewTask(.sample(number), idempotency: .sample("a"))) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0 == .inserted(isBlocked: false) }.count == 1)
            #expect(try await store.counts().total == 1)
            let task = try #require(try await store.tasks(TaskQuery()).tasks.first)
            #expect(answers.filter { $0 == .replayed(task.id) }.count == 49)
        },
        TaskStoreCheck("allows an expired key to be used again") { store async throws in
            let record = TaskRecord.sample(1)
            let claim = IdempotencyClaim.sample("a", expiresAt: record.createdAt.adding(.milliseconds(2)))
            #expect(try await store.insert(NewTask(record, idempotency: claim)) == .inserted(isBlocked: false))
            // Repetitions one and two milliseconds later.
            #expect(try await store.insert(NewTask(.sample(2), idempotency: .sample("a"))) == .replayed(record.id))
            let time = record.createdAt.adding(.milliseconds(1))
            #expect(try await store.replay(of: .sample("a"), at: time) == .replayed(record.id))
            #expect(try await store.replay(of: .sample("a", payload: 2), at: time) == .keyReused)
            #expect(try await store.replay(of: .sample("b"), at: time) == nil)
            #expect(try await store.replay(of: .sample("a"), at: time.adding(.milliseconds(1))) == nil)
            #expect(
                try await store.insert(NewTask(.sample(3), idempotency: .sample("a", payload: 2)))
                    == .inserted(isBlocked: false))
            #expect(
                try await store.insert(NewTask(.sample(4), idempotency: .sample("a", payload: 2)))
                    == .replayed(.sample(3)))
            #expect(try await store.task(record.id) == record)
        },
        TaskStoreCheck("keeps the key of a task that retention has removed, with the data for replays") {
            store async throws in
            var record = TaskRecord.sample(1)
            let claim = IdempotencyClaim.sample("a", expiresAt: record.createdAt.adding(.seconds(60)))
            #expect(try await store.insert(NewTask(record, idempotency: claim)) == .inserted(isBlocked: false))
            record.finish(TaskResult.samples[0], revision: 2)
            #expect(try await store.update(record, expecting: 1))
            #expect(try await store.delete(record.id, because: .retention))
            let left = RemovedTask(
                id: record.id, session: "github", state: .succeeded, createdAt: record.createdAt,
                finishedAt: record.finishedAt)
            #expect(try await store.insert(NewTask(.sample(2), idempotency: .sample("a"))) == .replayedRemoved(left))
            #expect(try await store.replay(of: claim, at: record.createdAt) == .replayedRemoved(left))
            #expect(try await store.insert(NewTask(.sample(2), idempotency: .sample("a", payload: 2))) == .keyReused)
            #expect(try await store.counts().total == 0)
            // The key expires at its own time.
            let end = record.createdAt.adding(.seconds(60))
            #expect(try await store.replay(of: claim, at: end) == nil)
            #expect(try await !store.forget(keysExpiredAt: end, deletionsBefore: .earliest, limit: 2))
            #expect(
                try await store.insert(NewTask(.sample(3), idempotency: .sample("a"))) == .inserted(isBlocked: false))
            #expect(try await store.insert(NewTask(.sample(4), idempotency: .sample("a"))) == .replayed(.sample(3)))
        },
        TaskStoreCheck("releases a key with its task, and removes expired keys in small steps") {
            store async throws in
            for number in 0..<5 {
                let record = TaskRecord.sample(number)
                let claim = IdempotencyClaim.sample("\(number)", expiresAt: record.createdAt.adding(.seconds(60)))
                #expect(try await store.insert(NewTask(record, idempotency: claim)) == .inserted(isBlocked: false))
            }
            #expect(try await store.delete(.sample(0)))
            #expect(
                try await store.insert(NewTask(.sample(10), idempotency: .sample("0", payload: 2)))
                    == .inserted(isBlocked: false))
            let now = TaskID.sample(3).timestamp.adding(.seconds(60))
            #expect(try await store.forget(keysExpiredAt: now, deletionsBefore: .earliest, limit: 2))
            #expect(try await !store.forget(keysExpiredAt: now, deletionsBefore: .earliest, limit: 2))
            // The tasks remain, and so does the unexpired key.
            #expect(try await store.counts().total == 5)
            let late = NewTask(.sample(20), idempotency: .sample("1", payload: 2))
            #expect(try await store.insert(late) == .inserted(isBlocked: false))
            #expect(try await store.insert(NewTask(.sample(21), idempotency: .sample("4"))) == .replayed(.sample(4)))
        },
    ]

    static let largeBatches: [TaskStoreCheck] = [
        TaskStoreCheck("adds a batch that is larger than one of its transactions") { store async throws in
            // A transaction of the SQLite store has at most 1024 operations: three have one between two others.
            let count = 2100
            let results = await store.insert((0..<count).map { NewTask(.sample($0)) })
            #expect(results.allSatisfy { $0 == .success(.inserted(isBlocked: false)) })
            #expect(results.count == count)
            #expect(try await store.counts().total == count)
        }
    ]
}

extension IdempotencyClaim {
    /// Returns a claim for tests.
    package static func sample(
        _ key: String, owner: String = "ci", payload: UInt8 = 1, expiresAt: Timestamp = .latest
    ) -> IdempotencyClaim {
        IdempotencyClaim(
            owner: owner, key: key, payload: [UInt8](repeating: payload, count: 32), expiresAt: expiresAt)
    }
}
