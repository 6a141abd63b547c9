import TaskStore
import Testing

extension TaskStoreSuite {
    static let order: [TaskStoreCheck] = [
        TaskStoreCheck("blocks a task while another one of its session and ordering key is not over") {
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
        TaskStoreCheck("gives the turn to the oldest when the one that has it is over, and says so") {
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
                // That it is let through is no change of it.
                #expect(try await store.task(next.id) == next)
            }
            #expect(try await store.set(.canceled, .sample(3)) == .stored(nil))
            #expect(try await store.insert(NewTask(.keyed(4))) == .inserted(isBlocked: false))
        },
        TaskStoreCheck("keeps the turn for a task that waits for another attempt or is suspended") {
            store async throws in
            for number in 1...2 { _ = try await store.insert(NewTask(.keyed(number))) }
            for state in [TaskState.running, .waiting, .queued, .suspended, .queued, .running, .canceling] {
                #expect(try await store.set(state, .sample(1)) == .stored(nil))
                #expect(try await store.task(.sample(2))?.isBlocked == true)
            }
        },
        TaskStoreCheck("does not take a task of a later time for one that others wait for") { store async throws in
            _ = try await store.insert(NewTask(.keyed(1, state: .scheduled)))
            #expect(try await store.insert(NewTask(.keyed(2))) == .inserted(isBlocked: false))
            // It joins when its time comes, behind the one that has the turn, and before those that came later.
            _ = try await store.insert(NewTask(.keyed(3)))
            #expect(try await store.set(.queued, .sample(1)) == .stored(nil))
            #expect(try await store.task(.sample(1))?.isBlocked == true)
            guard case .stored(let release?) = try await store.set(.succeeded, .sample(2)) else {
                Issue.record("Nobody was let through")
                return
            }
            #expect(release.position.id == .sample(1))
            // One that is put off gives its turn away.
            guard case .stored(let second?) = try await store.set(.scheduled, .sample(1)) else {
                Issue.record("Nobody was let through")
                return
            }
            #expect(second.position.id == .sample(3))
        },
        TaskStoreCheck("passes the turn on when the task that has it is removed, also to a suspended one") {
            store async throws in
            for number in 1...3 { _ = try await store.insert(NewTask(.keyed(number))) }
            #expect(try await store.set(.suspended, .sample(2)) == .stored(nil))
            // One that has no turn has none to pass on.
            #expect(try await store.delete(.sample(3), at: .latest) == Deletion())
            #expect(
                try await store.delete(.sample(1), at: .latest)
                    == Deletion(
                        release: TaskRelease(
                            session: "github", position: TaskRecord.keyed(2).queuePosition, isQueued: false)))
            #expect(try await store.task(.sample(2))?.isBlocked == false)
            #expect(try await store.queued(session: "github", after: nil, limit: 10).isEmpty)
            #expect(try await store.insert(NewTask(.keyed(4))) == .inserted(isBlocked: true))
        },
        TaskStoreCheck("lets nobody start a blocked task, nor unblock it by a record that says so") {
            store async throws in
            for number in 1...2 { _ = try await store.insert(NewTask(.keyed(number))) }
            #expect(try await store.set(.running, .sample(2)) == .stale)
            var record = TaskRecord.keyed(2)
            record.isBlocked = false
            record.revision = 2
            #expect(try await store.update(record, expecting: 1))
            #expect(try await store.task(.sample(2))?.isBlocked == true)
            // It can be canceled, which lets nobody through.
            #expect(try await store.set(.canceled, .sample(2)) == .stored(nil))
        },
        TaskStoreCheck("keeps one task of each key at a time and gives all their turns, whatever happens") {
            store async throws in
            for seed in 1...6 {
                var life = KeyedLives(seed: UInt64(seed), firstNumber: seed * 1000)
                for _ in 0..<150 { try await life.step(store) }
                try await life.drain(store)
            }
        },
    ]
}

extension TaskStore {
    /// Changes the state of a task, and nothing else.
    fileprivate func set(_ state: TaskState, _ id: TaskID) async throws -> UpdateOutcome {
        guard var record = try await task(id) else { return .stale }
        record.state = state
        record.revision += 1
        return try await update(TaskUpdate(record, expecting: record.revision - 1))
    }
}
