/// The number of tasks by session, state and kind.
package struct TaskCounts: Sendable, Hashable {
    /// The tasks of a session that are counted together.
    private struct Group: Hashable {
        var state: TaskState
        var kind: TaskKind
    }

    /// The counts of each session, without those of zero.
    private var counts: [String: [Group: Int]] = [:]

    /// Creates counts of zero.
    package init() {}

    /// The sessions with at least one task, sorted.
    package var sessions: [String] {
        counts.keys.sorted()
    }

    /// The number of tasks of a session in a state, and of a kind.
    package subscript(session: String, state: TaskState, kind: TaskKind) -> Int {
        counts[session]?[Group(state: state, kind: kind)] ?? 0
    }

    /// The number of tasks of a session in a state.
    package subscript(session: String, state: TaskState) -> Int {
        counts[session].map { Self.sum(of: $0, state) } ?? 0
    }

    /// The number of tasks of all sessions in a state.
    package subscript(state: TaskState) -> Int {
        counts.values.reduce(0) { $0 + Self.sum(of: $1, state) }
    }

    /// The number of all tasks.
    package var total: Int {
        counts.values.reduce(0) { $1.values.reduce($0, +) }
    }

    /// Returns the number of deliveries of callbacks through a session that have not ended.
    package func pendingCallbacks(_ session: String) -> Int {
        (counts[session] ?? [:]).reduce(0) { sum, count in
            count.key.kind.isDelivery && !count.key.state.isTerminal ? sum + count.value : sum
        }
    }

    /// Adds `change`, which may be negative, to the number of tasks of a session in a state, and of a kind.
    package mutating func add(_ change: Int, session: String, state: TaskState, kind: TaskKind) {
        let group = Group(state: state, kind: kind)
        // Taken out of the dictionary, whose accessors for changes in place allocate, twice for each task's step.
        var groups = counts.removeValue(forKey: session) ?? [:]
        let count = (groups[group] ?? 0) + change
        groups[group] = count == 0 ? nil : count
        if !groups.isEmpty { counts[session] = groups }
    }

    private static func sum(of groups: [Group: Int], _ state: TaskState) -> Int {
        TaskKind.allCases.reduce(0) { $0 + (groups[Group(state: state, kind: $1)] ?? 0) }
    }
}
