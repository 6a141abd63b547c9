import ErrandTaskStore

/// The task that a client's retry creates.
enum TaskRepetition: Sendable {
    /// A task that is decoded anew from the document of the finished one.
    case decoded(AcceptedTask)
    /// A task with the content of the finished one, which its session has not prepared.
    case copied(TaskRecord)
}
