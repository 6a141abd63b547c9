import ErrandTaskStore
import ErrandTime
import Testing

/// A random test of tasks with a few ordering keys, with a model of the expected results.
struct KeyedLives {
    private var random: SplitMix64
    private var number: Int
    /// The state of each existing task, by key.
    private var states: [String: [TaskID: TaskState]] = [:]
    /// The task that has the turn of each key.
    private var holders: [String: TaskID] = [:]

    init(seed: UInt64, firstNumber: Int) {
        random = SplitMix64(seed: seed)
        number = firstNumber
    }

    /// Performs one random operation, and compares the results of the store with the model.
    mutating func step(_ store: any TaskStore) async throws {
        let key = ["a", "b", "c"].randomElement(using: &random) ?? "a"
        let existing = states[key, default: [:]].keys.sorted().randomElement(using: &random)
        if let id = existing, Bool.random(using: &random) || states[key, default: [:]].count > 12 {
            if Int.random(in: 0..<6, using: &random) == 0 {
                try await delete(id, key, store)
            } else {
                try await change(id, key, to: TaskState.allCases.randomElement(using: &random) ?? .queued, store)
            }
        } else {
            try await insert(key, store)
        }
        // An error in another key, or in a task that has ended, shows at one of its own steps, or at the end.
        try await compare([key], store, withEnded: false)
    }

    /// Ends the tasks one by one in the order of their turns, until all are finished.
    mutating func drain(_ store: any TaskStore) async throws {
        for key in states.keys.sorted() {
            for (id, state) in states[key, default: [:]].sorted(by: { $0.key < $1.key }) where state == .scheduled {
                try await change(id, key, to: .queued, store)
            }
            var last: TaskID?
            while let holder = holders[key] {
                try await change(holder, key, to: .succeeded, store)
                // The first task may have overtaken others while it was the only one. The others follow by age.
                if let last, let next = holders[key] { #expect(last < next) }
                last = holders[key]
            }
            #expect(states[key, default: [:]].values.allSatisfy { $0.isTerminal })
        }
        try await compare(Array(states.keys), store, withEnded: true)
    }

    private mutating func insert(_ key: String, _ store: any TaskStore) async throws {
        number += 1
        let state: TaskState = Int.random(in: 0..<4, using: &random) == 0 ? .scheduled : .queued
        let record = TaskRecord.keyed(number, key, state: state)
        states[key, default: [:]][record.id] = state
        let isBlocked = takesTurns(state) && holders[key] != nil
        if takesTurns(state), !isBlocked { holders[key] = record.id }
        #expect(try await store.insert(NewTask(record)) == .inserted(isBlocked: isBlocked))
    }

    private mutating func change(_ id: TaskID, _ key: String, to state: TaskState, _ store: any TaskStore) async throws
    {
        guard let old = states[key]?[id], !old.isTerminal else { return }
        var record = try #require(try await store.task(id))
        record.change {
            $0.state = state
            $0.revision += 1
        }
        let outcome = try await store.update(TaskUpdate(record, expecting: record.revision - 1))
        let joinsBlocked = holders[key] != nil && holders[key] != id
        if joinsBlocked, takesTurns(state), record.hasOpenAttempt {
            #expect(outcome == .stale)
            return
        }
        states[key]?[id] = state
        if takesTurns(state) {
            if holders[key] == nil { holders[key] = id }
            #expect(outcome == .stored(nil))
        } else {
            #expect(outcome == .stored(try await release(after: id, key, store)))
        }
    }

    private mutating func delete(_ id: TaskID, _ key: String, _ store: any TaskStore) async throws {
        states[key]?[id] = nil
        let deletion = try await store.delete(id, at: .latest, because: .client)
        #expect(deletion == Deletion(release: try await release(after: id, key, store)))
    }

    private mutating func release(after id: TaskID, _ key: String, _ store: any TaskStore) async throws -> TaskRelease?
    {
        guard holders[key] == id else { return nil }
        holders[key] = states[key, default: [:]].filter { takesTurns($0.value) }.keys.min()
        guard let next = holders[key], let record = try await store.task(next) else { return nil }
        return TaskRelease(
            session: record.session, position: record.queuePosition, isQueued: states[key]?[next] == .queued)
    }

    private func compare(_ keys: [String], _ store: any TaskStore, withEnded: Bool) async throws {
        var queued: [TaskID] = []
        var compared: Set<TaskID> = []
        for key in keys {
            for (id, state) in states[key, default: [:]] {
                compared.insert(id)
                guard withEnded || !state.isTerminal else { continue }
                let record = try #require(try await store.task(id))
                let isBlocked = takesTurns(state) && holders[key] != id
                #expect(record.state == state)
                #expect(record.isBlocked == isBlocked)
                if state == .queued, !isBlocked { queued.append(id) }
            }
        }
        let found = try await store.queued(session: "github", after: nil, limit: 100).map(\.id)
        #expect(found.filter(compared.contains) == queued.sorted())
    }

    private func takesTurns(_ state: TaskState) -> Bool {
        state != .scheduled && !state.isTerminal
    }
}
