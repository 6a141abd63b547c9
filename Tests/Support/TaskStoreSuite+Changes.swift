import TaskStore
import Testing

extension TaskStoreSuite {
    static let changes: [TaskStoreCheck] = [
        TaskStoreCheck("changes labels only when it is told to, and finds the task by the new ones") {
            store async throws in
            var record = TaskRecord.sample(1, labels: ["team": "billing", "env": "prod"])
            try await store.insert(record)
            record.labels = ["team": "search"]
            record.revision = 2
            #expect(try await store.update(record, expecting: 1))
            #expect(try await store.task(record.id)?.labels == ["team": "billing", "env": "prod"])
            record.revision = 3
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
        TaskStoreCheck("adds the children of a change with it") { store async throws in
            var record = TaskRecord.sample(1)
            try await store.insert(record)
            record.state = .failed
            record.revision = 2
            var update = TaskUpdate(record, expecting: 1)
            update.children = [2, 3].map {
                var child = TaskRecord.sample($0, session: "hooks", kind: .callback)
                child.parent = record.id
                return child
            }
            #expect(try await store.update(update) == .stored(nil))
            for child in update.children { #expect(try await store.task(child.id) == child) }
            var query = TaskQuery()
            query.parent = record.id
            #expect(try await store.identifiers(query) == [.sample(3), .sample(2)])
            #expect(try await store.counts()["hooks", .queued] == 2)
            let kinds = try await store.events(after: 1, task: nil, limit: 10).map(\.kind)
            #expect(kinds == [.state(.failed), .state(.queued), .state(.queued)])
        },
        TaskStoreCheck("stores nothing of a change when a child of it cannot be added, or it comes too late") {
            store async throws in
            var record = TaskRecord.sample(1, labels: ["team": "billing"])
            try await store.insert(record)
            try await store.insert(.sample(3))
            let stored = record
            record.state = .failed
            record.revision = 2
            record.result = TaskResult.samples[4]
            record.labels = [:]
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
        TaskStoreCheck("writes a schedule and the task of its run if nobody else changed it, both or neither") {
            store async throws in
            var schedule = ScheduleRecord.sample("hourly")
            #expect(try await !store.put(schedule, expecting: 1, inserting: .sample(1)))
            #expect(try await store.put(schedule, expecting: nil, inserting: nil))
            #expect(try await !store.put(.sample("hourly", text: "other"), expecting: nil, inserting: .sample(1)))
            #expect(try await store.counts().total == 0)
            schedule.revision = 2
            schedule.lastTask = .sample(1)
            var task = TaskRecord.sample(1)
            task.schedule = "hourly"
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
            // Its tasks stay when it is gone.
            #expect(try await store.removeSchedule("hourly"))
            #expect(try await store.task(task.id) == task)
        },
        TaskStoreCheck("lets one of many who saw the same schedule run it") { store async throws in
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
