import ErrandLocking
import ErrandTaskStore
import ErrandTime
import Testing

extension TaskStoreSuite {
    static let events: [TaskStoreCheck] = [
        TaskStoreCheck("keeps an event of each state change and each ended attempt, in order, with its task") {
            store async throws in
            let record = TaskRecord.detailed(1)
            try await store.live(record)
            let events = try await store.events(after: 0, task: nil, limit: 100)
            #expect(
                events.map(\.kind.name) == [
                    "task.queued", "task.running", "task.redirect", "task.challenge", "task.attempt", "task.waiting",
                    "task.queued", "task.running", "task.suspended", "task.running", "task.attempt", "task.succeeded",
                ])
            #expect(events.map(\.id) == (1...12).map { Int64($0) })
            #expect(events.map(\.revision) == [1, 2, 3, 3, 3, 3, 4, 5, 6, 7, 8, 8])
            #expect(events.compactMap(\.attempt) == [1, 2])
            #expect(events.compactMap(\.detail) == [Array(#"{"n":1}"#.utf8), Array(#"{"n":2}"#.utf8)])
            #expect(
                events.allSatisfy {
                    $0.task == record.id && $0.session == record.session && $0.taskKind == record.kind
                        && $0.parent == record.parent && $0.labels == record.labels
                })
            #expect(events.map { $0.at.duration(since: record.createdAt) } == events.map { .seconds($0.revision - 1) })
            #expect(try await store.events(after: 0, task: record.id, limit: 100) == events)
        },
        TaskStoreCheck("passes on the events of each commit as they are stored, in order") { store async throws in
            let told = Mutex<[StoredEvent]>([])
            store.observeEvents { events in told.withLock { $0 += events } }
            try await store.live(.detailed(1))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 10..<60 {
                    group.addTask {
                        try await store.live(.sample(number))
                        if number % 2 == 0 { #expect(try await store.delete(.sample(number))) }
                    }
                }
                try await group.waitForAll()
            }
            let all = told.withLock { $0 }
            #expect(all.map(\.id) == (1...Int64(12 * 51 + 25)).map(\.self))
            let gone = Set((10..<60).filter { $0 % 2 == 0 }.map { TaskID.sample($0) })
            let kept = all.filter { !gone.contains($0.task) || $0.kind == .deleted }
            #expect(try await store.events(after: 0, task: nil, limit: 10_000) == kept)
            #expect(try await store.eventBounds() == EventBounds(forgotten: 0, newest: Int64(all.count)))
        },
        TaskStoreCheck("returns the events after a given one, in pages, of all tasks or of one") { store async throws in
            for number in 0..<6 { try await store.live(.sample(number)) }
            #expect(try await store.delete(.sample(3)))
            for task in [nil, TaskID.sample(4)] {
                let all = try await store.events(after: 0, task: task, limit: 1000)
                #expect(all.count == (task == nil ? 61 : 12))
                var found: [StoredEvent] = []
                while true {
                    let page = try await store.events(after: found.last?.id ?? 0, task: task, limit: 5)
                    #expect(page.count <= 5)
                    if page.isEmpty { break }
                    found += page
                }
                #expect(found == all)
                #expect(try await store.events(after: 0, task: task, limit: 0).isEmpty)
            }
            #expect(try await store.events(after: 0, task: .sample(99), limit: 10).isEmpty)
        },
        TaskStoreCheck("keeps only the deletion event of a removed task, with its last data") {
            store async throws in
            let record = TaskRecord.detailed(1, state: .failed)
            try await store.insert(record)
            let now = record.createdAt.adding(.seconds(9))
            #expect(try await store.delete(record.id, at: now, because: .client) == Deletion())
            #expect(
                try await store.events(after: 0, task: nil, limit: 10) == [
                    StoredEvent(
                        id: 2, kind: .deleted, at: now, task: record.id, session: record.session, taskKind: record.kind,
                        parent: record.parent, labels: record.labels, revision: 1)
                ])
            #expect(try await store.events(after: 0, task: record.id, limit: 10).isEmpty)
            #expect(try await store.delete(record.id, at: now, because: .client) == nil)
        },
        TaskStoreCheck("removes old deletion events in small steps, and returns the range that is left") {
            store async throws in
            for number in 0..<6 {
                let record = TaskRecord.sample(number, labels: ["n": "\(number)"])
                try await store.insert(record)
                let time = Timestamp(milliseconds: Int64(number))
                #expect(try await store.delete(record.id, at: time, because: .client) != nil)
            }
            let before = Timestamp(milliseconds: 5)
            #expect(try await store.eventBounds() == EventBounds(forgotten: 0, newest: 12))
            #expect(try await store.forget(keysExpiredAt: before, deletionsBefore: before, limit: 3))
            #expect(try await store.eventBounds() == EventBounds(forgotten: 6, newest: 12))
            #expect(try await !store.forget(keysExpiredAt: before, deletionsBefore: before, limit: 3))
            #expect(try await store.eventBounds() == EventBounds(forgotten: 10, newest: 12))
            #expect(try await store.events(after: 0, task: nil, limit: 10).map(\.id) == [12])
            #expect(try await !store.forget(keysExpiredAt: before, deletionsBefore: before, limit: 3))
        },
        TaskStoreCheck("removes a deletion event of a clock that was ahead, and the old ones after it") {
            store async throws in
            let now = Timestamp(milliseconds: 1_000_000)
            for (number, time) in [now.adding(.seconds(100_000)), .earliest, now].enumerated() {
                let record = TaskRecord.sample(number)
                try await store.insert(record)
                #expect(try await store.delete(record.id, at: time, because: .client) != nil)
            }
            let before = Timestamp(milliseconds: 5)
            #expect(try await !store.forget(keysExpiredAt: now, deletionsBefore: before, limit: 10))
            #expect(try await store.events(after: 0, task: nil, limit: 10).map(\.at) == [now])
        },
        TaskStoreCheck("keeps no event of a change that was not stored") { store async throws in
            try await store.insert(.sample(1))
            var late = TaskRecord.sample(1, state: .running)
            late.change { $0.revision = 5 }
            #expect(try await !store.update(late, expecting: 4))
            await #expect(throws: TaskStoreError.self) { try await store.insert(.sample(1)) }
            #expect(try await store.events(after: 0, task: nil, limit: 10).map(\.kind) == [.state(.queued)])
            #expect(try await store.eventBounds().newest == 1)
            // A change without a new state is not an event.
            var same = TaskRecord.sample(1, priority: 9)
            same.change { $0.revision = 2 }
            #expect(try await store.update(same, expecting: 1))
            #expect(try await store.eventBounds().newest == 1)
        },
    ]
}

extension TaskStore {
    /// Takes a queued task through two attempts to success, with one second per change.
    fileprivate func live(_ created: TaskRecord) async throws {
        var record = created
        try await insert(record)
        let steps: [TaskEvent] = [
            .attemptStarted, .attemptFailed(willRetry: true), .timeCame, .attemptStarted, .suspendRequested,
            .resumeRequested(.ready), .attemptSucceeded,
        ]
        for (number, event) in steps.enumerated() {
            record.change { record in
                #expect(record.life.handle(event) == .changed)
                if event == .attemptStarted { record.attemptCount += 1 }
                record.revision += 1
                record.updatedAt = record.createdAt.adding(.seconds(number + 1))
            }
            var update = TaskUpdate(record, expecting: record.revision - 1)
            if event == .attemptFailed(willRetry: true) {
                update.hops = [
                    StoredHop(.redirect, Array(#"{"n":1}"#.utf8)), StoredHop(.challenge, Array(#"{"n":2}"#.utf8)),
                ]
            }
            #expect(try await self.update(update) == .stored(nil))
        }
    }
}
