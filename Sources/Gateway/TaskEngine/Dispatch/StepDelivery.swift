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
    /// A task to which it cannot be delivered does not stop the others. One that cannot be read or changed for a reason
    /// of its own is logged, and is no failure.
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
    /// The tasks to which it could not be delivered, with the reasons, none of which is of one task alone.
    var failures: [TaskID: TaskStoreError] = [:]
    /// The tasks among ``failures`` whose end is being stored (``LiveTask/isStoringEnd``).
    var ending: Set<TaskID> = []
    /// The tasks that cannot be read or changed, or do not exist.
    var unreadable: Set<TaskID> = []

    /// The reason of a failure; `nil` if there is none.
    ///
    /// That the store was closed comes first, as it ends all work.
    var failure: TaskStoreError? { failures.values.first { $0.code == .closed } ?? failures.values.first }

    /// Returns the tasks that the step changed.
    ///
    /// - Throws: ``failure``, if there is one.
    func get() throws(TaskStoreError) -> Set<TaskID> {
        if let failure { throw failure }
        return changed
    }
}
