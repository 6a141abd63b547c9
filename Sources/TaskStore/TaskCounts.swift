/// How many tasks there are, by session and state.
package struct TaskCounts: Sendable, Hashable {
    private var counts: [String: [TaskState: Int]] = [:]

    /// Creates counts of nothing.
    package init() {}

    /// The sessions that have tasks, sorted.
    package var sessions: [String] {
        counts.keys.sorted()
    }

    /// The tasks of a session in a state.
    package subscript(session: String, state: TaskState) -> Int {
        counts[session]?[state] ?? 0
    }

    /// The tasks of all sessions in a state.
    package subscript(state: TaskState) -> Int {
        counts.values.reduce(0) { $0 + ($1[state] ?? 0) }
    }

    /// All tasks.
    package var total: Int {
        counts.values.reduce(0) { $1.values.reduce($0, +) }
    }

    /// Counts `change` more tasks (less, when it is negative) of a session in a state.
    package mutating func add(_ change: Int, session: String, state: TaskState) {
        counts[session, default: [:]][state, default: 0] += change
        if counts[session]?[state] == 0 { counts[session]?[state] = nil }
        if counts[session]?.isEmpty == true { counts[session] = nil }
    }
}
