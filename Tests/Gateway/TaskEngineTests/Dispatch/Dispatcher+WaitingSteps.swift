import ErrandLocking
import ErrandTaskStore

@testable import ErrandTaskEngine

extension Dispatcher {
    /// Returns the number of queued steps of a task, without the step that is being stored.
    func waitingSteps(of id: TaskID) -> Int {
        state.withLock { $0.live[id]?.waiting.count ?? 0 }
    }
}
