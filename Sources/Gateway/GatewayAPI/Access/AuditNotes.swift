import ErrandLocking
import ErrandTaskStore

/// The subject of a request, noted by endpoints for the audit log.
///
/// Any thread.
final class AuditNotes: Sendable {
    /// The task and the session that a request concerns, if known.
    struct Subject: Sendable, Hashable {
        var task: TaskID?
        var session: String?
        /// The trace of the created task.
        var trace: TraceContext?
    }

    private let state: Mutex<Subject>

    /// Creates notes of a request.
    ///
    /// - Parameter subject: The task and the session that its target names.
    init(_ subject: Subject = Subject()) {
        state = Mutex(subject)
    }

    /// The subject as known so far.
    var subject: Subject { state.withLock { $0 } }

    /// Notes the session of the request, or of its task.
    func note(session: String) {
        state.withLock { $0.session = session }
    }

    /// Notes the task that the request created.
    func note(task: TaskID, session: String, trace: TraceContext? = nil) {
        state.withLock { $0 = Subject(task: task, session: session, trace: trace) }
    }
}
