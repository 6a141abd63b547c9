package import ErrandTaskStore

/// The waiting watchers, indexed by interest.
///
/// A value, generic over the handle of a watcher.
struct WaitingList<Handle: Sendable>: Sendable {
    struct Entry: Sendable {
        /// The events of interest.
        var interest: EventInterest
        /// The last event that the watcher has seen.
        var cursor: Int64
        var handle: Handle
    }

    private(set) var entries: [Int: Entry] = [:]
    /// The watchers of a single task.
    private var byTask: [TaskID: Set<Int>] = [:]
    /// The watchers with a filter.
    private var filtering: Set<Int> = []

    var isEmpty: Bool { entries.isEmpty }

    /// Adds a watcher.
    mutating func insert(_ entry: Entry, as number: Int) {
        entries[number] = entry
        switch entry.interest {
        case .task(let id): byTask[id, default: []].insert(number)
        case .matching: filtering.insert(number)
        }
    }

    /// Removes a watcher; returns `nil` if it was already removed.
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

    /// Removes all watchers.
    mutating func removeAll() -> [Entry] {
        defer { self = WaitingList() }
        return Array(entries.values)
    }

    /// Returns true if any watcher is interested in a task.
    func concerns(_ record: TaskRecord) -> Bool {
        byTask[record.id] != nil
            || filtering.contains { number in
                guard case .matching(let filter)? = entries[number]?.interest else { return false }
                return filter.matches(record)
            }
    }

    /// Returns the watchers with at least one new event of interest.
    ///
    /// The cost does not depend on the number of watchers of other tasks.
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

    /// Returns the watchers that are interested in the progress of tasks, each with its notes.
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

/// The events that a watcher is interested in.
package enum EventInterest: Sendable, Hashable {
    /// The events of one task.
    case task(TaskID)
    /// The events that match a filter.
    case matching(EventFilter)
}

/// The progress of a task, which is sent to watchers and not stored.
package struct ProgressNote: Sendable {
    /// The task.
    package var record: TaskRecord
    /// The event as a piece of a stream.
    package var bytes: [UInt8]

    /// Creates a note.
    package init(record: TaskRecord, bytes: [UInt8]) {
        self.record = record
        self.bytes = bytes
    }
}
