import ErrandLocking
import ErrandSessionCore
import ErrandTaskStore

/// The tasks with an attempt or a step under way, and the callers that wait until there are none.
///
/// Used only under the dispatcher's lock, as copies share the live tasks. It has no effects: the dispatcher resumes
/// waiters and ends attempts after the lock is released.
struct LiveTasks {
    private var tasks: [TaskID: LiveTask] = [:]
    /// Waiters for the end of the last live task.
    private var idleWaiters: [Continuation<Void>] = []

    /// Creates an instance without tasks.
    init() {}

    /// Returns a live task; `nil` if it has no attempt and no step.
    subscript(id: TaskID) -> LiveTask? { tasks[id] }

    var isEmpty: Bool { tasks.isEmpty }

    /// The live tasks, in any order.
    var values: Dictionary<TaskID, LiveTask>.Values { tasks.values }

    /// Returns the live task of a record, which becomes live if it is not.
    mutating func task(of record: TaskRecord) -> LiveTask {
        if let task = tasks[record.id] { return task }
        let task = LiveTask(record)
        tasks[record.id] = task
        return task
    }

    /// Adds a task that is about to be stored.
    mutating func insert(_ task: LiveTask) {
        tasks[task.record.id] = task
    }

    /// Removes a task that was not stored.
    ///
    /// - Returns: The queued steps, which will not be done.
    mutating func remove(_ id: TaskID) -> [LiveTask.Waiting] {
        tasks.removeValue(forKey: id)?.waiting ?? []
    }

    /// Removes a task if it has no attempt and no steps.
    ///
    /// - Returns: The waiters for the last live task, if this was the last.
    mutating func retire(_ id: TaskID) -> [Continuation<Void>] {
        if tasks[id]?.isIdle == true { tasks[id] = nil }
        return tasks.isEmpty ? takeIdleWaiters() : []
    }

    /// Removes and returns the waiters for the end of the last live task, also while there are live tasks.
    mutating func takeIdleWaiters() -> [Continuation<Void>] {
        defer { idleWaiters = [] }
        return idleWaiters
    }

    /// Adds a waiter for the end of the last live task.
    ///
    /// - Returns: False if there is no live task: the waiter is not added.
    mutating func addIdleWaiter(_ waiter: Continuation<Void>) -> Bool {
        guard !tasks.isEmpty else { return false }
        idleWaiters.append(waiter)
        return true
    }

    // MARK: Steps

    /// Returns the next step of a task, and the task; `nil` ends the draining.
    mutating func nextStep(of id: TaskID) -> (LiveTask.Waiting, TaskRecord)? {
        guard let task = tasks[id], let waiting = task.nextStep() else { return nil }
        if case .unblocked = waiting.step { task.record.change { $0.isBlocked = false } }
        return (waiting, task.record)
    }

    /// Replaces a task that was changed in the store, and puts a step back, to be computed again.
    mutating func replace(_ id: TaskID, with record: TaskRecord, putBack waiting: LiveTask.Waiting) {
        guard let task = tasks[id] else { return }
        task.record = record
        task.putBack(waiting)
    }

    /// Replaces a task by its stored state.
    ///
    /// The caller is draining the task's steps.
    ///
    /// - Parameter step: The next step, before those that wait already; `nil` for none.
    mutating func store(_ record: TaskRecord, followedBy step: TaskStep?) {
        guard let task = tasks[record.id] else { return }
        task.record = record
        if let step { task.putBack(LiveTask.Waiting(step: step, reply: nil)) }
    }

    // MARK: Attempts

    /// Abandons attempts: their tasks stay as they are, for the next start to recover.
    ///
    /// - Parameter onlySuspended: True to abandon only suspended attempts, which would not end by themselves.
    /// - Returns: The attempts that were not abandoned before, which the caller cuts off.
    mutating func abandonAttempts(onlySuspended: Bool) -> [LiveTask.Attempt] {
        var attempts: [LiveTask.Attempt] = []
        for task in tasks.values {
            guard let attempt = task.attempt, !attempt.isAbandoned, !onlySuspended || attempt.control.isSuspended else {
                continue
            }
            task.attempt?.isAbandoned = true
            attempts.append(attempt)
        }
        return attempts
    }
}
