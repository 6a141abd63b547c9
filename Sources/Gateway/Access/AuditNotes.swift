import Locking
import TaskStore

/// What a request was about, as endpoints find it out, for its line in the audit log.
///
/// Any thread.
final class AuditNotes: Sendable {
    /// The task and the session that a request was about, as far as they are known.
    struct Subject: Sendable, Hashable {
        var task: TaskID?
        var session: String?
    }

    private let state: Mutex<Subject>

    /// Notes of a request that names a task or a session, or neither.
    init(task: TaskID? = nil, session: String? = nil) {
        state = Mutex(Subject(task: task, session: session))
    }

    /// What is known.
    var subject: Subject { state.withLock { $0 } }

    /// The request is about a session, or a task of it.
    func note(session: String) {
        state.withLock { $0.session = session }
    }

    /// The request has made a task.
    func note(task: TaskID, session: String) {
        state.withLock { $0 = Subject(task: task, session: session) }
    }
}
