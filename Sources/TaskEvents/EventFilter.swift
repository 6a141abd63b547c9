package import TaskStore

/// Which events a watcher of all tasks is told of: the filters of the list, read for events.
package struct EventFilter: Sendable, Hashable {
    private let states: Set<TaskState>
    private let sessions: Set<String>?
    private let kind: TaskKind?
    private let parent: TaskID?
    private let labels: [String: String]
    private let identifiers: ClosedRange<TaskID>?

    /// Creates a filter that lets through the events of the tasks which a query finds.
    ///
    /// Its states are compared with the one that an event tells; an event that tells none passes only without them.
    package init(_ query: TaskQuery) {
        states = query.states
        sessions = query.sessions
        kind = query.kind
        parent = query.parent
        labels = query.labels
        identifiers = query.identifiers
    }

    /// Whether the event passes.
    package func matches(_ event: StoredEvent) -> Bool {
        matches(
            event.kind.toldState, event.task, session: event.session, kind: event.taskKind, parent: event.parent,
            labels: event.labels)
    }

    /// Whether the progress of the task passes.
    package func matches(_ record: TaskRecord) -> Bool {
        matches(
            record.state, record.id, session: record.session, kind: record.kind, parent: record.parent,
            labels: record.labels)
    }

    private func matches(
        _ state: TaskState?, _ id: TaskID, session: String, kind: TaskKind, parent: TaskID?, labels: [String: String]
    ) -> Bool {
        if let sessions, !sessions.contains(session) { return false }
        if !states.isEmpty {
            guard let state, states.contains(state) else { return false }
        }
        if let wanted = self.kind, wanted != kind { return false }
        if let wanted = self.parent, wanted != parent { return false }
        guard let identifiers, identifiers.contains(id) else { return false }
        return self.labels.allSatisfy { labels[$0.key] == $0.value }
    }
}

extension StoredEvent.Kind {
    /// The state that an event of this kind tells; `nil` when it tells none.
    package var toldState: TaskState? {
        switch self {
        case .state(let state): state
        case .attempt, .redirect, .deleted: nil
        }
    }
}
