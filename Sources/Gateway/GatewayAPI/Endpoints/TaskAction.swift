import ErrandTaskEngine
import ErrandTaskStore

/// An action on a task that its state may not allow.
enum TaskAction: Sendable, Hashable, CaseIterable {
    case suspend
    case resume
    case runNow
    case cancel
    case edit
    case retry
}

extension TaskAction {
    /// Returns the reason for which the state of a task does not allow the action, with the states that do.
    func refusal(of record: TaskRecord) -> String {
        switch self {
        case .runNow where record.awaitsContent:
            "the task waits for its content: send it with PUT /v1/tasks/\(record.id)/content"
        case .runNow where record.state == .suspended:
            "the task is suspended: resume it first"
        case .suspend, .resume, .runNow, .cancel, .edit, .retry:
            "\(record.stateDetail); \(allowedStates)"
        }
    }

    /// The states that allow the action, in a clause.
    private var allowedStates: String {
        switch self {
        case .suspend: "only a task that is neither finished nor being canceled can be suspended"
        case .resume: "only a task that is neither finished nor being canceled can be resumed"
        case .runNow: "only a task that is scheduled, waiting or queued can be started by run-now"
        case .cancel: "a finished task cannot be canceled"
        case .edit: "only a task that is neither finished nor being canceled can be changed"
        case .retry: "only a finished task can be retried"
        }
    }
}

extension TaskRecord {
    /// The state in a sentence, for a call that the state does not allow.
    var stateDetail: String {
        switch state {
        case .succeeded, .failed: "the task already \(state.rawValue)"
        case .scheduled, .queued, .running, .waiting, .suspended, .canceling, .canceled:
            "the task is \(state.rawValue)"
        }
    }
}
