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
    /// - Returns: The tasks that it changed.
    func deliver(_ step: TaskStep, to ids: some Sequence<TaskID>) async throws(TaskStoreError) -> Set<TaskID>

    /// Delivers a step and waits for its outcome, at most for ``ClientPatience/reply``.
    func reply(to step: TaskStep, of record: TaskRecord) async throws(TaskStoreError) -> TaskCommandOutcome

    /// Starts the next task of an ordering key, whose turn has come.
    func unblockNext(after release: TaskRelease)
}
