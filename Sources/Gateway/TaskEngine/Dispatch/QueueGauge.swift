/// The number of tasks of a session that are entering its queue, in addition to those counted by the store.
///
/// The store counts at some moment between a query and its result, and tasks may arrive in that time. Note ``arrived``
/// before the query, so that none of them is missed. A task that is counted twice may briefly keep another task out;
/// the limit is never exceeded.
struct QueueGauge: Sendable, Hashable {
    /// The number of tasks that are being stored.
    private(set) var arriving = 0
    /// The number of tasks that have been stored so far.
    private(set) var arrived = 0

    /// Records that a task is about to be stored.
    mutating func begin() {
        arriving += 1
    }

    /// Records that a task was stored, or could not be.
    mutating func end(isStored: Bool) {
        arriving -= 1
        if isStored { arrived += 1 }
    }

    /// Returns an upper bound of the queue's length.
    ///
    /// - Parameters:
    ///   - counted: The number of queued tasks that the store has counted.
    ///   - before: ``arrived`` before the store counted.
    func length(counted: Int, arrivedBefore before: Int) -> Int {
        counted + arriving + arrived - before
    }
}
