package import ErrandTaskStore

/// The outcome of a command on a task.
package enum TaskCommandOutcome: Sendable {
    /// The task is in the requested state, or on the way there: changed by this command, or by an earlier one.
    case done(TaskRecord, changed: Bool)
    /// The command is not allowed in the task's state.
    case refused(TaskRecord)
    /// The client's precondition is not met.
    case preconditionFailed(TaskRecord)
    /// The edit is not valid for the task, which was changed since the edit was checked.
    indirect case invalid(TaskRecord, because: TaskRejection)
    /// The task no longer exists.
    case notFound
}

extension TaskCommandOutcome {
    /// Creates the outcome of a command that stores no change.
    init(of transition: TaskTransition, on record: TaskRecord) {
        self =
            switch transition.refusal {
            case .illegal: .refused(record)
            case .precondition: .preconditionFailed(record)
            case .invalid(let problems): .invalid(record, because: .invalid(problems))
            case nil: .done(record, changed: false)
            }
    }
}
