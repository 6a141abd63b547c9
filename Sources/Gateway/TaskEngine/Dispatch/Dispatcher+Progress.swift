import ErrandLocking
import ErrandSessionCore
package import ErrandTaskStore
import ErrandTime
package import ErrandTransfer

/// The progress of running tasks, which is not stored.
extension Dispatcher {
    /// A Boolean value that indicates whether any task is running or being changed.
    package var hasLiveTasks: Bool { state.withLock { !$0.live.isEmpty } }

    /// Returns the tasks with a running attempt, its progress and its rates.
    package func progressOfRunningTasks() -> [(record: TaskRecord, progress: TransferProgress, rates: TransferRates)] {
        let now = context.monotonic.now
        let attempts = state.withLock { state in
            state.live.values.compactMap { task in
                task.record.state == .running ? task.measure(at: now).map { (task.record, $0.control, $0.rates) } : nil
            }
        }
        return attempts.compactMap { record, control, rates in
            // An attempt with only zero counts has no progress yet.
            LiveTaskState(progress: control.progress).progress.map { (record, $0, rates) }
        }
    }
}
