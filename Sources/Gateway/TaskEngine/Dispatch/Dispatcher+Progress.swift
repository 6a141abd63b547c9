import ErrandLocking
import ErrandSessionCore
package import ErrandTaskStore
package import ErrandTransfer

/// The progress of running tasks, which is not stored.
extension Dispatcher {
    /// A Boolean value that indicates whether any task is running or being changed.
    package var hasLiveTasks: Bool { state.withLock { !$0.live.isEmpty } }

    /// Returns the tasks with a running attempt, and its progress.
    package func progressOfRunningTasks() -> [(record: TaskRecord, progress: TransferProgress)] {
        let attempts = state.withLock { state in
            state.live.values.compactMap { task in task.attempt.map { (task.record, $0.control) } }
        }
        return attempts.compactMap { record, control in
            guard record.state == .running else { return nil }
            // An attempt with only zero counts has no progress yet.
            return LiveTaskState(progress: control.progress).progress.map { (record, $0) }
        }
    }
}
