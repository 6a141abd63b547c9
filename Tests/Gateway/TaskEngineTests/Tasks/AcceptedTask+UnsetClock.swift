import ErrandTaskStore
import ErrandTime

@testable import ErrandTaskEngine

extension AcceptedTask {
    /// Returns the record to be stored under a clock that was never set.
    func record(id: TaskID, at now: Timestamp) -> TaskRecord {
        record(id: id, at: now, clockOffset: .zero)
    }
}
