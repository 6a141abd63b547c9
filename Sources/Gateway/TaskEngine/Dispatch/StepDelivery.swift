import ErrandTaskStore

/// The delivery of steps to tasks, for the parts of the task engine that change tasks.
///
/// The dispatcher delivers them: steps of one task run serially, and each is stored before it takes effect. The parts
/// use this protocol instead of the dispatcher, whose queue is not their concern. Any thread.
protocol StepDelivery: AnyObject, Sendable {
    /// True while tasks are started; a part that handles many tasks stops when it becomes false.
    var isOpen: Bool { get }

    /// Delivers a step to many tasks concurrently, so that the store writes them together.
    ///
    /// A task to which it cannot be delivered does not stop the others.
    func deliver(_ step: TaskStep, to ids: some Sequence<TaskID>) async -> StepDeliveries

    /// Delivers a step and waits for its outcome, at most for ``ClientPatience/reply``.
    func reply(to step: TaskStep, of record: TaskRecord) async throws(TaskStoreError) -> TaskCommandOutcome

    /// Starts the next task of an ordering key, whose turn has come.
    func unblockNext(after release: TaskRelease)
}

/// The outcome of a step that was delivered to many tasks.
struct StepDeliveries: Sendable {
    /// The tasks that the step changed.
    var changed: Set<TaskID> = []
    /// The tasks to which it could not be delivered, with the reasons.
    var failures: [TaskID: TaskStoreError] = [:]
    /// The tasks that cannot be read, or do not exist.
    var unreadable: Set<TaskID> = []

    /// Returns the tasks that the step changed.
    ///
    /// - Throws: The reason of a failure, if there is any.
    func get() throws(TaskStoreError) -> Set<TaskID> {
        if let error = failures.first?.value { throw error }
        return changed
    }
}
