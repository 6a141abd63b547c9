package import ErrandTime

/// An event of a task, stored in the transaction that caused it.
package struct StoredEvent: Sendable, Hashable {
    /// The number of the event in the whole store, increasing, with gaps.
    package var id: Int64
    /// The kind of event.
    package var kind: Kind
    /// The time of the event.
    package var at: Timestamp
    /// The task.
    package var task: TaskID
    /// The task's session.
    package var session: String
    /// The kind of the task.
    package var taskKind: TaskKind
    /// The parent of the task, if any.
    package var parent: TaskID?
    /// The task's labels, either current or at the time of the event; empty if the store does not know them.
    package var labels: [String: String]
    /// The task's revision after the event.
    package var revision: Int64
    /// The number of the ended attempt, for ``Kind/attempt``.
    package var attempt: Int?
    /// A JSON object with details, for ``Kind/redirect`` and ``Kind/challenge``.
    package var detail: [UInt8]?

    /// The kinds of events.
    package enum Kind: Sendable, Hashable {
        /// The task was created in a state, or entered it.
        case state(TaskState)
        /// An attempt ended.
        case attempt
        /// An attempt was redirected.
        case redirect
        /// An attempt answered an authentication challenge.
        case challenge
        /// The task was deleted.
        case deleted
    }

    /// Creates an event from its parts.
    package init(
        id: Int64, kind: Kind, at: Timestamp, task: TaskID, session: String, taskKind: TaskKind, parent: TaskID? = nil,
        labels: [String: String] = [:], revision: Int64, attempt: Int? = nil, detail: [UInt8]? = nil
    ) {
        self.id = id
        self.kind = kind
        self.at = at
        self.task = task
        self.session = session
        self.taskKind = taskKind
        self.parent = parent
        self.labels = labels
        self.revision = revision
        self.attempt = attempt
        self.detail = detail
    }
}

extension StoredEvent.Kind {
    /// The name: `task.` and the state, or `task.attempt`, `task.redirect`, `task.challenge`, `task.deleted`.
    package var name: String {
        switch self {
        case .state(let state): "task.\(state.rawValue)"
        case .attempt: "task.attempt"
        case .redirect: "task.redirect"
        case .challenge: "task.challenge"
        case .deleted: "task.deleted"
        }
    }

    /// Reads a name; returns `nil` for any other text.
    package init?(name: String) {
        guard name.hasPrefix("task.") else { return nil }
        switch name.dropFirst(5) {
        case "attempt": self = .attempt
        case "redirect": self = .redirect
        case "challenge": self = .challenge
        case "deleted": self = .deleted
        case let state:
            guard let state = TaskState(rawValue: String(state)) else { return nil }
            self = .state(state)
        }
    }
}

/// The range of events that the store still has.
package struct EventBounds: Sendable, Hashable {
    /// The highest number of an event that may have been deleted; 0 if the store has all events.
    ///
    /// A client whose last known event is older cannot receive everything that it has missed.
    package var forgotten: Int64
    /// The number of the newest event; 0 if there was none.
    package var newest: Int64
    /// The numbers that the store omitted when it was opened; `nil` if it omitted none.
    ///
    /// None of its events has such a number. A client that knows one has received events that the store has lost, by
    /// power loss or because a backup was restored.
    package var omitted: Range<Int64>?

    /// Creates bounds.
    package init(forgotten: Int64, newest: Int64, omitted: Range<Int64>? = nil) {
        self.forgotten = forgotten
        self.newest = newest
        self.omitted = omitted
    }

    /// Returns false if no event of the store ever had this number, so that a client must not continue after it.
    package func knows(_ id: Int64) -> Bool {
        id <= newest && omitted?.contains(id) != true
    }
}
