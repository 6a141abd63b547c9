import ErrandTaskStore
import ErrandTime

@testable import ErrandTaskEngine

extension TaskTransition {
    /// Computes the result of a step under a clock that was never set.
    init(
        of step: TaskStep, on record: TaskRecord, at now: Timestamp, _ completion: TaskCompletion = TaskCompletion()
    ) {
        self.init(of: step, on: record, at: now, clockOffset: .zero, completion)
    }
}
