package import ErrandTaskStore

/// A filter for events: the filters of the task list, applied to events.
package struct EventFilter: Sendable, Hashable {
    private let states: Set<TaskState>
    private let sessions: Set<String>?
    private let kind: TaskKind?
    private let parent: TaskID?
    private let labels: [String: String]
    private let identifiers: ClosedRange<TaskID>?
    /// True if events of tasks match whenever those were created.
    private let matchesAnyTime: Bool

    /// Creates a filter that accepts the events of the tasks that match a query.
    ///
    /// The states of the query are compared with the state in the event; an event without one only matches a query
    /// without states.
    package init(_ query: TaskQuery) {
        states = query.states
        sessions = query.sessions
        kind = query.kind
        parent = query.parent
        labels = query.labels
        identifiers = query.identifiers
        matchesAnyTime = query.createdAfter == nil && query.createdBefore == nil
    }

    /// Returns true if session events match: those of the selected sessions, if there is no other filter.
    package func wantsNews(of session: String) -> Bool {
        states.isEmpty && kind == nil && parent == nil && labels.isEmpty && matchesAnyTime
            && sessions.map { $0.contains(session) } ?? true
    }

    /// Returns true if the event matches.
    package func matches(_ event: StoredEvent) -> Bool {
        matches(
            event.kind.toldState, event.task, session: event.session, kind: event.taskKind, parent: event.parent,
            labels: event.labels)
    }

    /// Returns true if the progress of the task matches.
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
    /// The state reported by an event of this kind; `nil` if it reports none.
    package var toldState: TaskState? {
        switch self {
        case .state(let state): state
        case .attempt, .redirect, .challenge, .deleted: nil
        }
    }
}
