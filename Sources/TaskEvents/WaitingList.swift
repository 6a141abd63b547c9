package import TaskStore

/// Those who wait for events, and which of them an event concerns.
///
/// A value, generic over what is known of who waits.
struct WaitingList<Handle: Sendable>: Sendable {
    struct Entry: Sendable {
        /// What he waits for.
        var interest: EventInterest
        /// The last event that he knows of.
        var cursor: Int64
        var handle: Handle
    }

    private(set) var entries: [Int: Entry] = [:]
    /// Those who wait for a task, by it.
    private var byTask: [TaskID: Set<Int>] = [:]
    /// Those who wait for any task that passes their filter.
    private var filtering: Set<Int> = []

    var isEmpty: Bool { entries.isEmpty }

    /// Takes somebody in.
    mutating func insert(_ entry: Entry, as number: Int) {
        entries[number] = entry
        switch entry.interest {
        case .task(let id): byTask[id, default: []].insert(number)
        case .matching: filtering.insert(number)
        }
    }

    /// Lets somebody go; `nil` when he has gone already.
    mutating func remove(_ number: Int) -> Entry? {
        guard let entry = entries.removeValue(forKey: number) else { return nil }
        switch entry.interest {
        case .task(let id):
            byTask[id]?.remove(number)
            if byTask[id]?.isEmpty == true { byTask[id] = nil }
        case .matching:
            filtering.remove(number)
        }
        return entry
    }

    /// Lets everybody go.
    mutating func removeAll() -> [Entry] {
        defer { self = WaitingList() }
        return Array(entries.values)
    }

    /// Whether anybody would be told of a task.
    func concerns(_ record: TaskRecord) -> Bool {
        byTask[record.id] != nil
            || filtering.contains { number in
                guard case .matching(let filter)? = entries[number]?.interest else { return false }
                return filter.matches(record)
            }
    }

    /// Those whom at least one of the events concerns, and who do not know it yet.
    ///
    /// The cost does not depend on how many wait for other tasks.
    func concerned(by events: [StoredEvent]) -> Set<Int> {
        var concerned: Set<Int> = []
        for event in events {
            for number in byTask[event.task] ?? [] where (entries[number]?.cursor ?? .max) < event.id {
                concerned.insert(number)
            }
        }
        for number in filtering {
            guard let entry = entries[number], case .matching(let filter) = entry.interest else { continue }
            if events.contains(where: { $0.id > entry.cursor && filter.matches($0) }) { concerned.insert(number) }
        }
        return concerned
    }

    /// Those who are to be told of the progress of tasks, each with those of the notes that concern him.
    func concerned(by notes: [ProgressNote]) -> [Int: [ProgressNote]] {
        var concerned: [Int: [ProgressNote]] = [:]
        for note in notes {
            for number in byTask[note.record.id] ?? [] { concerned[number, default: []].append(note) }
        }
        for number in filtering {
            guard case .matching(let filter)? = entries[number]?.interest else { continue }
            let passed = notes.filter { filter.matches($0.record) }
            if !passed.isEmpty { concerned[number] = passed }
        }
        return concerned
    }
}

/// What a watcher wants to be told of.
package enum EventInterest: Sendable, Hashable {
    /// One task.
    case task(TaskID)
    /// All that pass a filter.
    case matching(EventFilter)
}

/// How far a task has come, which is told and not stored.
package struct ProgressNote: Sendable {
    /// The task.
    package var record: TaskRecord
    /// What watchers are told, as they are told it.
    package var bytes: [UInt8]

    /// Creates a note.
    package init(record: TaskRecord, bytes: [UInt8]) {
        self.record = record
        self.bytes = bytes
    }
}
