import ErrandTaskStore
import ErrandTime
import Testing

extension TaskStoreSuite {
    static let times: [TaskStoreCheck] = [
        TaskStoreCheck("returns queued tasks by priority and waiting time combined, in pages") { store async throws in
            // A priority level is worth a quarter of an hour: 0 to 9 are placed so that all orders occur.
            var records: [TaskRecord] = []
            for number in 0..<60 {
                var record = TaskRecord.sample(number, priority: number * 7 % 10)
                record.change {
                    $0.readyAt = Timestamp(milliseconds: 1_795_000_000_000 + Int64(number * 13 % 20) * 450_000)
                }
                if number % 20 == 19 { record.change { $0.readyAt = .earliest } }
                try await store.insert(record)
                records.append(record)
            }
            try await store.insert(.sample(500, session: "other"))
            try await store.insert(.sample(501, state: .running))
            var found: [QueuePosition] = []
            while true {
                let page = try await store.queued(session: "github", after: found.last, limit: 7)
                #expect(page.count <= 7)
                if page.isEmpty { break }
                found += page
            }
            #expect(found == records.map(\.queuePosition).sorted())
        },
        TaskStoreCheck("finds a task at its new position in the queue after a change") { store async throws in
            for number in 1...3 { try await store.insert(.sample(number)) }
            var record = TaskRecord.sample(3)
            record.change {
                $0.revision = 2
                $0.readyAt = .earliest
            }
            #expect(try await store.update(record, expecting: 1))
            #expect(
                try await store.queued(session: "github", after: nil, limit: 10).map(\.id)
                    == [.sample(3), .sample(1), .sample(2)])
            #expect(try await store.task(.sample(3)) == record)
        },
        TaskStoreCheck("returns the tasks that are due, earliest first, in pages") { store async throws in
            #expect(try await store.due(at: .latest, after: nil, limit: 1).isEmpty)
            for (number, seconds) in [30, 10, 20, 40].enumerated() {
                var record = TaskRecord.sample(number, state: number % 2 == 0 ? .scheduled : .waiting)
                let time = Timestamp(milliseconds: 0).adding(.seconds(seconds))
                record.change { if number % 2 == 0 { $0.notBefore = time } else { $0.nextAttemptAt = time } }
                try await store.insert(record)
            }
            // A time that has passed, or that belongs to another state, does not make a task due.
            for (number, state) in [TaskState.queued, .running, .suspended, .failed].enumerated() {
                var record = TaskRecord.sample(100 + number, state: state)
                record.change {
                    $0.notBefore = Timestamp(milliseconds: 0)
                    $0.nextAttemptAt = Timestamp(milliseconds: 0)
                }
                try await store.insert(record)
            }
            let now = Timestamp(milliseconds: 30_000)
            let expected: [(seconds: Int64, number: Int)] = [(10, 1), (20, 2), (30, 0)]
            let all = expected.map { seconds, number in
                TaskMoment(moment: Timestamp(milliseconds: seconds * 1000), id: .sample(number))
            }
            #expect(try await store.due(at: now, after: nil, limit: 10) == all)
            #expect(try await store.due(at: now, after: nil, limit: 2) == Array(all.prefix(2)))
            #expect(try await store.due(at: now, after: all[1], limit: 2) == [all[2]])
            #expect(try await store.due(at: now, after: all[2], limit: 2).isEmpty)
            #expect(try await store.due(at: .latest, after: all[2], limit: 2).map(\.id) == [.sample(3)])
            let behind = TaskMoment.last(at: all[0].moment)
            #expect(try await store.due(at: now, after: behind, limit: 1) == [all[1]])
            var first = try #require(try await store.task(.sample(1)))
            first.change {
                $0.state = .queued
                $0.revision = 2
            }
            #expect(try await store.update(first, expecting: 1))
            #expect(try await store.due(at: now, after: nil, limit: 10) == Array(all.dropFirst()))
        },
        TaskStoreCheck("returns tasks that are due at the same time in the order of their creation") {
            store async throws in
            for number in [3, 1, 2] {
                var record = TaskRecord.sample(number, state: .scheduled)
                record.change { $0.notBefore = Timestamp(milliseconds: 1000) }
                try await store.insert(record)
            }
            var found: [TaskMoment] = []
            while true {
                let page = try await store.due(at: .latest, after: found.last, limit: 1)
                if page.isEmpty { break }
                found += page
            }
            #expect(found.map(\.id) == [.sample(1), .sample(2), .sample(3)])
        },
        TaskStoreCheck("returns the tasks that have passed their deadline and can still fail by it") {
            store async throws in
            for (number, state) in TaskState.allCases.enumerated() {
                var record = TaskRecord.sample(number, state: state)
                record.change { $0.deadline = Timestamp(milliseconds: Int64(1000 - number)) }
                try await store.insert(record)
            }
            let expected = TaskState.allCases.indices.reversed().filter {
                [.scheduled, .queued, .running, .waiting, .suspended].contains(TaskState.allCases[$0])
            }
            #expect(try await store.overdue(at: Timestamp(milliseconds: 990), after: nil, limit: 10).isEmpty)
            let found = try await store.overdue(at: Timestamp(milliseconds: 1000), after: nil, limit: 10)
            let moments = expected.map { Timestamp(milliseconds: Int64(1000 - $0)) }
            #expect(found.map(\.id) == expected.map { .sample($0) })
            #expect(found.map(\.moment) == moments)
            #expect(try await store.overdue(at: .latest, after: nil, limit: 2) == Array(found.prefix(2)))
            #expect(try await store.overdue(at: .latest, after: found[1], limit: 10) == Array(found.dropFirst(2)))
        },
        TaskStoreCheck("returns the tasks with expired retention, earliest first, in pages") { store async throws in
            for (number, seconds) in [30, 10, 20, 40, 20].enumerated() {
                var record = TaskRecord.sample(number)
                record.change { $0.expiresAt = Timestamp(milliseconds: 0).adding(.seconds(seconds)) }
                try await store.insert(record)
            }
            try await store.insert(.sample(9))
            let now = Timestamp(milliseconds: 30_000)
            let expected: [(seconds: Int64, number: Int)] = [(10, 1), (20, 2), (20, 4), (30, 0)]
            let all = expected.map { seconds, number in
                TaskMoment(moment: Timestamp(milliseconds: seconds * 1000), id: .sample(number))
            }
            #expect(try await store.expired(at: now, after: nil, limit: 10) == all)
            #expect(try await store.expired(at: now, after: nil, limit: 1) == [all[0]])
            #expect(try await store.expired(at: now, after: all[1], limit: 10) == Array(all.dropFirst(2)))
            #expect(try await store.expired(at: now, after: all[3], limit: 10).isEmpty)
            // A position stays valid without its task.
            #expect(try await store.delete(.sample(1)))
            #expect(try await store.expired(at: now, after: all[0], limit: 2) == [all[1], all[2]])
        },
        TaskStoreCheck("returns the oldest finished tasks in excess of a number, in pages") { store async throws in
            var all: [TaskMoment] = []
            for (number, seconds) in [30, 10, 20, 40].enumerated() {
                var record = TaskRecord.sample(number, state: [.succeeded, .failed, .canceled, .succeeded][number])
                record.change { $0.finishedAt = $0.createdAt.adding(.seconds(seconds)) }
                try await store.insert(record)
                if let end = record.finishedAt { all.append(TaskMoment(moment: end, id: record.id)) }
            }
            all.sort()
            try await store.insert(.sample(9))
            #expect(all.map(\.id) == [.sample(1), .sample(2), .sample(0), .sample(3)])
            #expect(try await store.finished(beyond: 4, after: nil, limit: 10).isEmpty)
            #expect(try await store.finished(beyond: 9, after: nil, limit: 10).isEmpty)
            #expect(try await store.finished(beyond: 2, after: nil, limit: 10) == [all[0], all[1]])
            #expect(try await store.finished(beyond: 2, after: nil, limit: 1) == [all[0]])
            #expect(try await store.finished(beyond: 0, after: nil, limit: 10) == all)
            // With the one up to the position, which is kept, two more are in excess of one.
            #expect(try await store.finished(beyond: 1 + 1, after: all[0], limit: 10) == [all[1], all[2]])
            #expect(try await store.finished(beyond: 3 + 1, after: all[0], limit: 10).isEmpty)
            #expect(try await store.finished(beyond: 0, after: all[3], limit: 10).isEmpty)
            #expect(try await store.delete(.sample(1)))
            #expect(try await store.finished(beyond: 2, after: nil, limit: 10) == [all[1]])
            #expect(try await store.finished(beyond: 2, after: all[0], limit: 10) == [all[1]])
        },
    ]
}
