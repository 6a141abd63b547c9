package import ErrandTaskStore

/// A member of a task as clients see it, in the order of the document.
package enum TaskMember: Int, Sendable, Hashable, CaseIterable {
    case id, session, kind, state, done, revision
    case createdAt, updatedAt, notBefore, nextAttemptAt, deadline, startedAt, finishedAt, expiresAt
    case hold, request, content, progress, attempts, response, error, resume
    case labels, priority, orderingKey, bytesPerSecond, retryOf, retriedBy, parent, schedule, trace, callback, links

    /// All members, in memory that is allocated once.
    static let inOrder = allCases

    /// The name in the document.
    package var name: StaticString {
        switch self {
        case .id: "id"
        case .session: "session"
        case .kind: "kind"
        case .state: "state"
        case .done: "done"
        case .revision: "revision"
        case .createdAt: "created_at"
        case .updatedAt: "updated_at"
        case .notBefore: "not_before"
        case .nextAttemptAt: "next_attempt_at"
        case .deadline: "deadline"
        case .startedAt: "started_at"
        case .finishedAt: "finished_at"
        case .expiresAt: "expires_at"
        case .hold: "hold"
        case .request: "request"
        case .content: "content"
        case .progress: "progress"
        case .attempts: "attempts"
        case .response: "response"
        case .error: "error"
        case .resume: "resume"
        case .labels: "labels"
        case .priority: "priority"
        case .orderingKey: "ordering_key"
        case .bytesPerSecond: "bytes_per_second"
        case .retryOf: "retry_of"
        case .retriedBy: "retried_by"
        case .parent: "parent"
        case .schedule: "schedule"
        case .trace: "trace"
        case .callback: "callback"
        case .links: "links"
        }
    }
}

/// The members of a task that a document contains; `id` always.
package struct TaskMembers: Sendable, Hashable {
    /// A bit for each member.
    private var bits: UInt64

    /// All members.
    package static let all = Self(TaskMember.allCases)

    /// The members of a response that reports a change in short.
    package static let short = Self([.session, .kind, .state, .done, .createdAt])

    /// Creates a set of members, and of `id`.
    package init(_ members: [TaskMember]) {
        bits = members.reduce(1 << TaskMember.id.rawValue) { $0 | 1 << $1.rawValue }
    }

    /// Returns true if the document contains the member.
    package func contains(_ member: TaskMember) -> Bool {
        bits & 1 << member.rawValue != 0
    }
}

extension TaskMembers {
    /// True if a member is not stored, but known to the dispatcher.
    var showLiveState: Bool { contains(.hold) || contains(.progress) }

    /// The members that need documents; the links show whether there is a body.
    private static let ofDocuments: [TaskMember] =
        [.request, .progress, .attempts, .response, .error, .resume, .callback, .links]

    /// Returns a query that reads no more of each task than these members need.
    package func narrowing(_ query: TaskQuery) -> TaskQuery {
        var query = query
        query.showsLabels = contains(.labels)
        query.showsDocuments = Self.ofDocuments.contains { contains($0) }
        if !contains(.response) { query.inlineObjectBytes = 0 }
        return query
    }
}
