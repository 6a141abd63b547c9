/// Something that happened to a task, as it is stored in the transaction that made it happen.
package struct StoredEvent: Sendable, Hashable {
    /// Counts the events of the whole store, increasing, with gaps.
    package var id: Int64
    /// What happened.
    package var kind: Kind
    /// When.
    package var at: Timestamp
    /// The task.
    package var task: TaskID
    /// The task's session.
    package var session: String
    /// What the task is.
    package var taskKind: TaskKind
    /// The task that it is about, if any.
    package var parent: TaskID?
    /// The task's labels at that time, or now; empty where the store does not know them.
    package var labels: [String: String]
    /// The task's revision after it.
    package var revision: Int64
    /// The number of the attempt that has ended, of ``Kind/attempt``.
    package var attempt: Int?
    /// A JSON object that tells more, of ``Kind/redirect``.
    package var detail: [UInt8]?

    /// What can happen.
    package enum Kind: Sendable, Hashable {
        /// It was created in a state, or came into it.
        case state(TaskState)
        /// An attempt ended.
        case attempt
        /// An attempt was redirected.
        case redirect
        /// It is gone.
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
    /// The name: `task.` and the state, or `task.attempt`, `task.redirect`, `task.deleted`.
    package var name: String {
        switch self {
        case .state(let state): "task.\(state.rawValue)"
        case .attempt: "task.attempt"
        case .redirect: "task.redirect"
        case .deleted: "task.deleted"
        }
    }

    /// Reads a name, `nil` when it is none.
    package init?(name: String) {
        guard name.hasPrefix("task.") else { return nil }
        switch name.dropFirst(5) {
        case "attempt": self = .attempt
        case "redirect": self = .redirect
        case "deleted": self = .deleted
        case let state:
            guard let state = TaskState(rawValue: String(state)) else { return nil }
            self = .state(state)
        }
    }
}

/// Which events the store still has.
package struct EventBounds: Sendable, Hashable {
    /// Events up to this one may have been forgotten, so that nobody who has seen no later one can be told all that he
    /// has missed; 0 when all are there.
    package var forgotten: Int64
    /// The newest event; 0 when there was none.
    package var newest: Int64

    /// Creates bounds.
    package init(forgotten: Int64, newest: Int64) {
        self.forgotten = forgotten
        self.newest = newest
    }
}
