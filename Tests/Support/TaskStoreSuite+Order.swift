import ErrandTaskStore
import ErrandTime
import Testing

extension TaskStoreSuite {
    static let order: [TaskStoreCheck] = [
        TaskStoreCheck("blocks a task while another one of its session and ordering key is unfinished") {
            store async throws in
            #expect(try await store.insert(NewTask(.keyed(1))) == .inserted(isBlocked: false))
            #expect(try await store.insert(NewTask(.keyed(2))) == .inserted(isBlocked: true))
            #expect(try await store.insert(NewTask(.keyed(3, "other"))) == .inserted(isBlocked: false))
            #expect(try await store.insert(NewTask(.keyed(4, session: "other"))) == .inserted(isBlocked: false))
            #expect(try await store.insert(NewTask(.sample(5))) == .inserted(isBlocked: false))
            #expect(
                try await store.queued(session: "github", after: nil, limit: 10).map(\.id)
                    == [.sample(1), .sample(3), .sample(5)])
            #expect(try await store.task(.sample(2))?.isBlocked == true)
            #expect(try await store.counts()["github", .queued] == 4)
        },
        TaskStoreCheck("passes the turn to the oldest task when its holder ends, and reports it") {
            store async throws in
            for number in 1...3 { _ = try await store.insert(NewTask(.keyed(number))) }
            for end in [TaskState.succeeded, .failed] {
                let holder = try #require(try await store.queued(session: "github", after: nil, limit: 10).first)
                #expect(try await store.set(.running, holder.id) == .stored(nil))
                let next = TaskRecord.keyed(end == .succeeded ? 2 : 3)
                #expect(
                    try await store.set(end, holder.id)
                        == .stored(TaskRelease(session: "github", position: next.queuePosition, isQueued: true)))
                #expect(
                    try await store.queued(session: "github", after: nil, limit: 10) == [next.queuePosition])
                // Unblocking a task is not a change of its record.
                #expect(try await store.task(next.id) == next)
            }
            #expect(try await store.set(.canceled, .sample(3)) == .stored(nil))
            #expect(try await store.insert(NewTask(.keyed(4))) == .inserted(isBlocked: false))
        },
        TaskStoreCheck("keeps the turn of a task that waits for another attempt or is suspended") {
            store async throws in
            for number in 1...2 { _ = try await store.insert(NewTask(.keyed(number))) }
            for state in [TaskState.running, .waiting, .queued, .suspended, .queued, .running, .canceling] {
                #expect(try await store.set(state, .sample(1)) == .stored(nil))
                #expect(try await store.task(.sample(2))?.isBlocked == true)
            }
        },
        TaskStoreCheck("counts a callback as pending until it ends or is removed") { store async throws in
            for number in 1...2 { try await store.insert(.sample(number, session: "hooks", kind: .callback)) }
            try await store.insert(.sample(3, session: "hooks"))
            for (state, pending) in [
                (TaskState.running, 2), (.waiting, 2), (.queued, 2), (.running, 2), (.succeeded, 1),
            ] {
                #expect(try await store.set(state, .sample(1)) == .stored(nil))
                #expect(try await store.counts().pendingCallbacks("hooks") == pending)
            }
            #expect(try await store.delete(.sample(2)))
            #expect(try await store.counts().pendingCallbacks("hooks") == 0)
        },
        TaskStoreCheck("returns the times since which tasks wait, of those that exist") { store async throws in
            var later = TaskRecord.sample(2)
            later.change { $0.readyAt = Timestamp(milliseconds: $0.createdAt.milliseconds + 5000) }
            for record in [.sample(1), later] { try await store.insert(record) }
            let created = TaskRecord.sample(1)
            #expect(
                try await store.readyTimes(of: [.sample(2), .sample(9), .sample(1)])
                    == [.sample(1): created.createdAt, .sample(2): later.readyAt])
            #expect(try await store.readyTimes(of: []) == [:])
        },
        TaskStoreCheck("does not block tasks because of one that is scheduled later") { store async throws in
            _ = try await store.insert(NewTask(.keyed(1, state: .scheduled)))
            #expect(try await store.insert(NewTask(.keyed(2))) == .inserted(isBlocked: false))
            // A task joins when its time comes: after the task that has the turn, and before later ones.
            _ = try await store.insert(NewTask(.keyed(3)))
            #expect(try await store.set(.queued, .sample(1)) == .stored(nil))
            #expect(try await store.task(.sample(1))?.isBlocked == true)
            guard case .stored(let release?) = try await store.set(.succeeded, .sample(2)) else {
                Issue.record("No task was unblocked")
                return
            }
            #expect(release.position.id == .sample(1))
            // A postponed task passes on its turn.
            guard case .stored(let second?) = try await store.set(.scheduled, .sample(1)) else {
                Issue.record("No task was unblocked")
                return
            }
            #expect(second.position.id == .sample(3))
        },
        TaskStoreCheck("passes on the turn when its task is removed, also to a suspended one") {
            store async throws in
            for number in 1...3 { _ = try await store.insert(NewTask(.keyed(number))) }
            #expect(try await store.set(.suspended, .sample(2)) == .stored(nil))
            // A task without the turn cannot pass it on.
            #expect(try await store.delete(.sample(3), at: .latest, because: .client) == Deletion())
            #expect(
                try await store.delete(.sample(1), at: .latest, because: .client)
                    == Deletion(
                        release: TaskRelease(
                            session: "github", position: TaskRecord.keyed(2).queuePosition, isQueued: false)))
            #expect(try await store.task(.sample(2))?.isBlocked == false)
            #expect(try await store.queued(session: "github", after: nil, limit: 10).isEmpty)
            #expect(try await store.insert(NewTask(.keyed(4))) == .inserted(isBlocked: true))
        },
        TaskStoreCheck("refuses to start a blocked task, and ignores the flag of a written record") {
            store async throws in
            for number in 1...2 { _ = try await store.insert(NewTask(.keyed(number))) }
            #expect(try await store.set(.running, .sample(2)) == .stale)
            var record = TaskRecord.keyed(2)
            record.change {
                $0.isBlocked = false
                $0.revision = 2
            }
            #expect(try await store.update(record, expecting: 1))
            #expect(try await store.task(.sample(2))?.isBlocked == true)
            // Canceling the task unblocks no other task.
            #expect(try await store.set(.canceled, .sample(2)) == .stored(nil))
        },
    ]

    static let randomOrder: [TaskStoreCheck] = [
        TaskStoreCheck("runs one task of each key at a time and gives each its turn, after any events") {
            store async throws in
            for seed in TestBuild.seeds(20) {
                var life = KeyedLives(seed: seed, firstNumber: Int(seed) * 1000)
                for _ in 0..<150 { try await life.step(store) }
                try await life.drain(store)
            }
        }
    ]
}

extension TaskStore {
    /// Changes only the state of a task.
    fileprivate func set(_ state: TaskState, _ id: TaskID) async throws -> UpdateOutcome {
        guard var record = try await task(id) else { return .stale }
        record.change {
            $0.state = state
            $0.revision += 1
        }
        return try await update(TaskUpdate(record, expecting: record.revision - 1))
    }
}
