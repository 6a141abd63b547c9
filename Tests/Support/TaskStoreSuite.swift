package import ErrandTaskStore
import ErrandTime
import Testing

/// The checks that every task store must pass, each on an empty store.
///
/// ```swift
/// @Test("A store in SQLite", arguments: TaskStoreSuite.checks)
/// func conforms(_ check: TaskStoreCheck) async throws {
///     let store = …
///     try await check.body(store)
///     await store.close()
/// }
/// ```
package enum TaskStoreSuite {
    /// All checks.
    package static let checks: [TaskStoreCheck] = [
        writing, reading, listing, finding, sorting, order, times, idempotency, events, changes, schedules, sessions,
        cookies,
        ending,
    ].flatMap { $0 }

    /// The further checks of a store that is no wrapper of another one: each combination of filters and orders, random
    /// lives of tasks with ordering keys, and many tasks at once.
    ///
    /// A wrapper passes queries on, which ``checks`` tests with each filter and each order.
    package static let exhaustiveChecks: [TaskStoreCheck] = [
        listingTables, findingTables, sortingTables, randomOrder, largeBatches,
    ].flatMap { $0 }

    private static let writing: [TaskStoreCheck] = [
        TaskStoreCheck("reads back a task as it was inserted") { store in
            let record = TaskRecord.sample(1, labels: ["team": "billing", "": "empty key", "text": "é\u{0}\"'"])
            try await store.insert(record)
            #expect(try await store.task(record.id) == record)
        },
        TaskStoreCheck("reads back all properties that a task can be created with, also in a list") { store in
            let record = TaskRecord.detailed(1)
            try await store.insert(record)
            #expect(try await store.task(record.id) == record)
            #expect(try await store.tasks(TaskQuery()).tasks == [record.listed])
        },
        TaskStoreCheck("reads back what is known of content that is sent separately") { store in
            let contents: [TaskContent] = [
                .awaited(until: TaskID.sample(1).timestamp), .stored(size: 0, sha256: Array(repeating: 0, count: 32)),
                .stored(size: .max, sha256: Array(0..<32)), .passedOn(size: 0, isComplete: true),
                .passedOn(size: .max, isComplete: false),
            ]
            for (number, content) in contents.enumerated() {
                var record = TaskRecord.sample(number)
                record.change { $0.content = content }
                try await store.insert(record)
                #expect(try await store.task(record.id)?.content == content)
            }
        },
        TaskStoreCheck("has no task that was not inserted") { store in
            #expect(try await store.task(.sample(1)) == nil)
            #expect(try await store.update(.sample(1), expecting: 1) == false)
            #expect(try await store.delete(.sample(1)) == false)
            let page = try await store.tasks(TaskQuery())
            #expect(page.tasks.isEmpty && page.next == nil)
            #expect(try await store.counts() == TaskCounts())
        },
        TaskStoreCheck("refuses a second task with the same identifier and keeps the first") { store in
            let first = TaskRecord.sample(1)
            try await store.insert(first)
            let error = await #expect(throws: TaskStoreError.self) {
                try await store.insert(.sample(1, session: "other", labels: ["a": "b"]))
            }
            #expect(error?.code == .exists)
            #expect(try await store.task(first.id) == first)
            #expect(try await store.counts().total == 1)
        },
        TaskStoreCheck("keeps all parts of an update") { store in
            var record = TaskRecord.sample(1)
            try await store.insert(record)
            for result in TaskResult.samples {
                let seen = record.revision
                record.finish(result, revision: seen + 1)
                #expect(try await store.update(record, expecting: seen))
                #expect(try await store.task(record.id) == record)
            }
        },
        TaskStoreCheck("removes a result that an update clears") { store in
            var record = TaskRecord.sample(1)
            record.change { $0.result = TaskResult.samples[0] }
            try await store.insert(record)
            #expect(try await store.task(record.id) == record)
            record.change {
                $0.result = TaskResult()
                $0.revision = 2
            }
            #expect(try await store.update(record, expecting: 1))
            #expect(try await store.task(record.id)?.result == TaskResult())
        },
        TaskStoreCheck("does not update a task whose revision has changed") { store in
            var record = TaskRecord.sample(1)
            try await store.insert(record)
            record.change {
                $0.revision = 2
                $0.state = .running
            }
            #expect(try await store.update(record, expecting: 1))
            var late = record
            late.change { $0.state = .failed }
            #expect(try await store.update(late, expecting: 1) == false)
            #expect(try await store.task(record.id) == record)
        },
        TaskStoreCheck("lets one of many updates of the same revision win") { store in
            let record = TaskRecord.sample(1)
            try await store.insert(record)
            let wins = await withTaskGroup(of: Int.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        var mine = record
                        mine.change {
                            $0.revision = 2
                            $0.attemptCount = number
                        }
                        let won = try? await store.update(mine, expecting: 1)
                        return won == true ? 1 : 0
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(wins == 1)
        },
        TaskStoreCheck("removes a task with its labels and its result") { store in
            var record = TaskRecord.sample(1, labels: ["team": "billing"])
            record.change { $0.result = TaskResult.samples[0] }
            try await store.insert(record)
            #expect(try await store.delete(record.id))
            #expect(try await store.task(record.id) == nil)
            var query = TaskQuery()
            query.labels = ["team": "billing"]
            #expect(try await store.tasks(query).tasks.isEmpty)
            // The same identifier can be used again, without data of the old task.
            try await store.insert(.sample(1))
            #expect(try await store.task(record.id) == .sample(1))
        },
        TaskStoreCheck("keeps every task of many writers and counts them") { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        var record = TaskRecord.sample(number, session: number % 3 == 0 ? "a" : "b")
                        try await store.insert(record)
                        record.change {
                            $0.revision = 2
                            $0.state = number % 2 == 0 ? .succeeded : .running
                        }
                        guard try await store.update(record, expecting: 1) else { throw CheckFailure() }
                    }
                }
                try await group.waitForAll()
            }
            let counts = try await store.counts()
            #expect(counts.total == 300)
            #expect(counts["a", .succeeded] == 50)
            #expect(counts["a", .running] == 50)
            #expect(counts["b", .succeeded] == 100)
            #expect(counts["b", .running] == 100)
            #expect(counts.sessions == ["a", "b"])
            #expect(try await store.delete(.sample(0)))
            #expect(try await store.counts()["a", .succeeded] == 49)
        },
    ]

    private static let reading: [TaskStoreCheck] = [
        TaskStoreCheck("returns the tasks with an open attempt, also suspended ones, by id, in pages") { store in
            for copy in 0..<3 {
                for (number, state) in TaskState.allCases.enumerated() {
                    try await store.insert(.sample(copy * 20 + number, state: state))
                }
                try await store.insert(.standingStill(copy * 20 + 10))
            }
            var ids: [TaskID] = []
            while true {
                let page = try await store.interrupted(after: ids.last, limit: 2)
                if page.isEmpty { break }
                ids += page
            }
            var found: [TaskRecord] = []
            for id in ids { found.append(try #require(try await store.task(id))) }
            #expect(
                found.map(\.state) == Array(repeating: [.running, .canceling, .suspended], count: 3).flatMap(\.self))
            #expect(found.allSatisfy { $0.hasOpenAttempt })
            #expect(found.map(\.id) == found.map(\.id).sorted())
        },
        TaskStoreCheck("keeps a suspended attempt until it resumes, ends or is lost") { store in
            var record = TaskRecord.sample(1)
            try await store.insert(record)
            for (event, isOpen) in [
                (TaskEvent.attemptStarted, true), (.suspendRequested, true), (.resumeRequested(.ready), true),
                (.suspendRequested, true), (.attemptLost(mayResend: true), false), (.resumeRequested(.ready), false),
                (.attemptStarted, true), (.attemptSucceeded, false),
            ] {
                record.change { record in
                    #expect(record.life.handle(event) == .changed)
                    record.revision += 1
                }
                #expect(try await store.update(record, expecting: record.revision - 1))
                #expect(try await store.task(record.id) == record)
                #expect(try await store.interrupted(after: nil, limit: 10) == (isOpen ? [record.id] : []), "\(event)")
            }
        },
    ]

    private static let ending: [TaskStoreCheck] = [
        TaskStoreCheck("reports that it is writable, and is unchanged by the check") { store in
            try await store.checkWritable()
            try await store.checkWritable()
            #expect(try await store.counts().total == 0)
        },
        TaskStoreCheck("finishes submitted operations before it closes, and refuses later ones") { store in
            let outcomes = await withTaskGroup(of: TaskStoreError.Code?.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        do throws(TaskStoreError) {
                            try await store.insert(.sample(number))
                            return nil
                        } catch {
                            return error.code
                        }
                    }
                }
                group.addTask {
                    await store.close()
                    return nil
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.allSatisfy { $0 == nil || $0 == .closed })
            await #expect(throws: TaskStoreError.closed) { try await store.insert(.sample(1000)) }
            await #expect(throws: TaskStoreError.closed) { try await store.task(.sample(1)) }
            await #expect(throws: TaskStoreError.closed) { try await store.counts() }
            await #expect(throws: TaskStoreError.closed) { try await store.checkWritable() }
            await #expect(throws: TaskStoreError.closed) { try await store.pending(session: "a", after: nil, limit: 1) }
            await #expect(throws: TaskStoreError.closed) { try await store.eventBounds() }
            await #expect(throws: TaskStoreError.closed) { try await store.events(after: 0, task: nil, limit: 1) }
            await #expect(throws: TaskStoreError.closed) { try await store.schedules() }
            await #expect(throws: TaskStoreError.closed) { try await store.due(at: .latest, after: nil, limit: 1) }
            await #expect(throws: TaskStoreError.closed) { try await store.finished(beyond: 0, after: nil, limit: 1) }
            await #expect(throws: TaskStoreError.closed) { try await store.sessionControlStates() }
            await #expect(throws: TaskStoreError.closed) {
                try await store.setSessionControlState(SessionControlState(name: "a"))
            }
            await #expect(throws: TaskStoreError.closed) { try await store.cookies(session: "a") }
            await #expect(throws: TaskStoreError.closed) { try await store.sessionsWithCookies() }
            await #expect(throws: TaskStoreError.closed) { try await store.update(cookies: [], session: "a") }
            await store.close()
        },
    ]
}

/// One check of a store.
package struct TaskStoreCheck: Sendable, CustomTestStringConvertible {
    /// The behavior under test, as the end of a sentence that begins with "The store".
    package let testDescription: String
    /// Performs the check on an empty store.
    package let body: @Sendable (any TaskStore) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (any TaskStore) async throws -> Void) {
        testDescription = "The store \(name)"
        self.body = body
    }
}

/// A failure that an expectation cannot express.
struct CheckFailure: Error {}
