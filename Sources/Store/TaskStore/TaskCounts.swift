/// The number of tasks by session and state.
package struct TaskCounts: Sendable, Hashable {
    private var counts: [String: [TaskState: Int]] = [:]
    private var callbacks: [String: Int] = [:]

    /// Creates counts of zero.
    package init() {}

    /// The sessions with at least one task, sorted.
    package var sessions: [String] {
        counts.keys.sorted()
    }

    /// The number of tasks of a session in a state.
    package subscript(session: String, state: TaskState) -> Int {
        counts[session]?[state] ?? 0
    }

    /// The number of tasks of all sessions in a state.
    package subscript(state: TaskState) -> Int {
        counts.values.reduce(0) { $0 + ($1[state] ?? 0) }
    }

    /// The number of all tasks.
    package var total: Int {
        counts.values.reduce(0) { $1.values.reduce($0, +) }
    }

    /// Returns the number of deliveries of callbacks through a session that have not ended.
    package func pendingCallbacks(_ session: String) -> Int {
        callbacks[session] ?? 0
    }

    /// Adds `change`, which may be negative, to the number of tasks of a session in a state.
    package mutating func add(_ change: Int, session: String, state: TaskState) {
        // Taken out of the dictionary, whose accessors for changes in place allocate, twice for each task's step.
        var states = counts.removeValue(forKey: session) ?? [:]
        let count = (states[state] ?? 0) + change
        states[state] = count == 0 ? nil : count
        if !states.isEmpty { counts[session] = states }
    }

    /// Adds `change`, which may be negative, to the number of tasks of a kind, as ``add(_:session:state:)`` does, and to
    /// the number of pending callbacks.
    package mutating func add(_ change: Int, session: String, state: TaskState, kind: TaskKind) {
        add(change, session: session, state: state)
        if kind.isDelivery, !state.isTerminal { addPendingCallbacks(change, session: session) }
    }

    /// Adds `change`, which may be negative, to the number of pending callbacks of a session.
    package mutating func addPendingCallbacks(_ change: Int, session: String) {
        let count = pendingCallbacks(session) + change
        callbacks[session] = count == 0 ? nil : count
    }
}
