import ErrandTaskStore
import ErrandTime
import Testing

extension TaskStoreSuite {
    static let changes: [TaskStoreCheck] = [
        TaskStoreCheck("changes labels only on request, and finds the task by the new ones") {
            store async throws in
            var record = TaskRecord.sample(1, labels: ["team": "billing", "env": "prod"])
            try await store.insert(record)
            record.change {
                $0.labels = ["team": "search"]
                $0.revision = 2
            }
            #expect(try await store.update(record, expecting: 1))
            #expect(try await store.task(record.id)?.labels == ["team": "billing", "env": "prod"])
            record.change { $0.revision = 3 }
            var update = TaskUpdate(record, expecting: 2)
            update.changesLabels = true
            #expect(try await store.update(update) == .stored(nil))
            #expect(try await store.task(record.id) == record)
            for (labels, count) in [(["team": "billing"], 0), (["env": "prod"], 0), (["team": "search"], 1)] {
                var query = TaskQuery()
                query.labels = labels
                #expect(try await store.identifiers(query).count == count, "\(labels)")
            }
        },
        TaskStoreCheck("leaves the stored result as it is if a change keeps it") { store async throws in
            for (number, result) in [TaskResult.samples[0], TaskResult()].enumerated() {
                var record = TaskRecord.sample(number)
                record.change { $0.result = result }
                try await store.insert(record)
                let stored = record
                record.change {
                    $0.result = TaskResult.samples[1]
                    $0.priority = 9
                    $0.revision = 2
                }
                var update = TaskUpdate(record, expecting: 1)
                update.keepsResult = true
                #expect(try await store.update(update) == .stored(nil))
                let changed = try await store.task(record.id)
                #expect(changed?.result == stored.result)
                #expect(changed?.priority == 9)
            }
        },
        TaskStoreCheck("records the repetition of a task, and refuses a second one on request") {
            store async throws in
            let first = TaskRecord.sample(1, state: .failed)
            try await store.insert(first)
            var retry = TaskRecord.sample(2)
            retry.change { $0.retryOf = first.id }
            #expect(try await store.insert(NewTask(retry, unlessRetried: true)) == .inserted(isBlocked: false))
            let noted = try #require(try await store.task(first.id))
            #expect(noted.retriedBy == retry.id)
            #expect(noted.revision == first.revision + 1)
            #expect(try await !store.update(first, expecting: first.revision), "changed by another update")
            var second = TaskRecord.sample(3)
            second.change { $0.retryOf = first.id }
            #expect(try await store.insert(NewTask(second, unlessRetried: true)) == .alreadyRetried(retry.id))
            #expect(try await store.task(second.id) == nil)
            #expect(try await store.insert(NewTask(second)) == .inserted(isBlocked: false))
            #expect(try await store.task(first.id)?.retriedBy == second.id)
            // An update does not include the repetition.
            var next = try #require(try await store.task(first.id))
            next.change {
                $0.retriedBy = nil
                $0.priority = 1
                $0.revision += 1
            }
            #expect(try await store.update(next, expecting: next.revision - 1))
            #expect(try await store.task(first.id)?.retriedBy == second.id)
        },
        TaskStoreCheck("adds the children of a change together with it") { store async throws in
            var record = TaskRecord.sample(1)
            try await store.insert(record)
            record.change {
                $0.state = .failed
                $0.revision = 2
            }
            var update = TaskUpdate(record, expecting: 1)
            update.children = [2, 3].map {
                var child = TaskRecord.sample($0, session: "hooks", kind: .callback)
                child.change { $0.parent = record.id }
                return child
            }
            #expect(try await store.update(update) == .stored(nil))
            for child in update.children { #expect(try await store.task(child.id) == child) }
            var query = TaskQuery()
            query.parent = record.id
            #expect(try await store.identifiers(query) == [.sample(3), .sample(2)])
            #expect(try await store.counts()["hooks", .queued] == 2)
            #expect(try await store.counts().pendingCallbacks("hooks") == 2)
            #expect(try await store.counts().pendingCallbacks(record.session) == 0)
            let kinds = try await store.events(after: 1, task: nil, limit: 10).map(\.kind)
            #expect(kinds == [.state(.failed), .state(.queued), .state(.queued)])
        },
        TaskStoreCheck("stores nothing of a stale change, or of one with a child that cannot be added") {
            store async throws in
            var record = TaskRecord.sample(1, labels: ["team": "billing"])
            try await store.insert(record)
            try await store.insert(.sample(3))
            let stored = record
            record.change {
                $0.state = .failed
                $0.revision = 2
                $0.result = TaskResult.samples[4]
                $0.labels = [:]
            }
            var update = TaskUpdate(record, expecting: 1)
            update.changesLabels = true
            update.children = [.sample(2), .sample(3)]
            let error = await #expect(throws: TaskStoreError.self) { try await store.update(update) }
            #expect(error?.code == .exists)
            update.children = [.sample(2)]
            update.expected = 7
            #expect(try await store.update(update) == .stale)
            #expect(try await store.task(record.id) == stored)
            #expect(try await store.task(.sample(2)) == nil)
            #expect(try await store.counts()[.queued] == 2)
            #expect(try await store.eventBounds().newest == 2)
        },
    ]

    static let schedules: [TaskStoreCheck] = [
        TaskStoreCheck("reads back schedules as they were written, by name") { store async throws in
            #expect(try await store.schedules().isEmpty)
            var full = ScheduleRecord.sample("nightly")
            full.origin = .configuration
            full.isSuspended = true
            full.updatedAt = .latest
            full.nextRunAt = nil
            full.lastRunAt = full.createdAt
            full.lastTask = .sample(7)
            full.revision = 9
            #expect(try await store.put(full, expecting: nil, inserting: nil))
            #expect(try await store.put(.sample("hourly"), expecting: nil, inserting: nil))
            #expect(try await store.schedules() == [.sample("hourly"), full])
            #expect(try await store.removeSchedule("nightly"))
            #expect(try await !store.removeSchedule("nightly"))
            #expect(try await store.schedules() == [.sample("hourly")])
        },
        TaskStoreCheck("writes an unchanged schedule and the task of its run, both or neither") {
            store async throws in
            var schedule = ScheduleRecord.sample("hourly")
            #expect(try await !store.put(schedule, expecting: 1, inserting: .sample(1)))
            #expect(try await store.put(schedule, expecting: nil, inserting: nil))
            #expect(try await !store.put(.sample("hourly", text: "other"), expecting: nil, inserting: .sample(1)))
            #expect(try await store.counts().total == 0)
            schedule.revision = 2
            schedule.lastTask = .sample(1)
            var task = TaskRecord.sample(1)
            task.change { $0.schedule = "hourly" }
            #expect(try await store.put(schedule, expecting: 1, inserting: task))
            #expect(try await store.task(task.id) == task)
            #expect(try await store.events(after: 0, task: task.id, limit: 10).map(\.kind) == [.state(.queued)])
            let stored = schedule
            schedule.revision = 3
            let error = await #expect(throws: TaskStoreError.self) {
                try await store.put(schedule, expecting: 2, inserting: .sample(1, session: "other"))
            }
            #expect(error?.code == .exists)
            #expect(try await !store.put(schedule, expecting: 1, inserting: .sample(2)))
            #expect(try await store.schedules() == [stored])
            #expect(try await store.counts().total == 1)
            // The schedule's tasks stay after its removal.
            #expect(try await store.removeSchedule("hourly"))
            #expect(try await store.task(task.id) == task)
        },
        TaskStoreCheck("lets one of many callers with the same revision run a schedule") { store async throws in
            #expect(try await store.put(.sample("hourly"), expecting: nil, inserting: nil))
            let wins = await withTaskGroup(of: Int.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        var schedule = ScheduleRecord.sample("hourly")
                        schedule.revision = 2
                        let won = try? await store.put(schedule, expecting: 1, inserting: .sample(number))
                        return won == true ? 1 : 0
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(wins == 1)
            #expect(try await store.counts().total == 1)
        },
    ]
}
