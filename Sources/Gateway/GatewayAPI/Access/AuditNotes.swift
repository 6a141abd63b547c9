import ErrandLocking
import ErrandTaskStore
import HTTPTypes

/// The line of a request in the audit log, for which endpoints note the subject of the request.
///
/// It is written once. Any thread.
final class AuditNotes: Sendable {
    /// The task and the session that a request concerns, if known.
    struct Subject: Sendable, Hashable {
        var task: TaskID?
        var session: String?
        /// The trace of the created task.
        var trace: TraceContext?
        /// The further values of a request that concerns many tasks.
        var details: [Detail] = []
    }

    /// A value of a line besides those that all requests have.
    struct Detail: Sendable, Hashable {
        /// The key in the line.
        var key: String
        var value: Value

        /// The kinds of values.
        enum Value: Sendable, Hashable {
            case number(Int)
            case flag(Bool)
            case text(String)
            case texts([String])
        }

        /// Creates a value.
        init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    private struct State {
        var entry: AuditLog.Entry
        var isWritten = false
    }

    private let log: AuditLog
    private let state: Mutex<State>

    /// Creates the line of a request.
    ///
    /// - Parameters:
    ///   - entry: The request, with the task and the session that its target names.
    ///   - log: The log that gets the line.
    init(_ entry: AuditLog.Entry, in log: AuditLog) {
        self.log = log
        state = Mutex(State(entry: entry))
    }

    /// Notes the session of the request, or of its task.
    func note(session: String) {
        state.withLock { $0.entry.subject.session = session }
    }

    /// Notes the task that the request created.
    @inline(never)
    func note(task: TaskID, session: String, trace: TraceContext? = nil) {
        state.withLock { $0.entry.subject = Subject(task: task, session: session, trace: trace) }
    }

    /// Notes further values.
    func note(_ details: [Detail]) {
        state.withLock { $0.entry.subject.details += details }
    }

    /// Writes the line with the status of the response, unless it is written already.
    ///
    /// Not inlined, like ``note(task:session:trace:)``: functions that suspend call it, and its values would become a
    /// part of their frames.
    @inline(never)
    func write(_ status: HTTPResponse.Status) {
        let entry = state.withLock { state -> AuditLog.Entry? in
            guard !state.isWritten else { return nil }
            state.isWritten = true
            return state.entry
        }
        if let entry { log.answered(entry, status) }
    }
}

extension AuditNotes.Detail {
    /// Returns the identifiers of the first and the last of some tasks; nothing without tasks.
    static func ends(of ids: [TaskID]) -> [Self] {
        guard let first = ids.first, let last = ids.last else { return [] }
        return [Self("first_task", .text(first.description)), Self("last_task", .text(last.description))]
    }
}
