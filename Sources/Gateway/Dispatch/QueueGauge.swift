/// How many tasks of a session are on their way into its queue, beside those that the store has counted.
///
/// The store counts at some moment between a question and its answer, in which tasks may arrive: whoever asks notes
/// ``arrived`` before, so that none of them is missed. One that is counted twice keeps another out for a moment; none is
/// let in beyond the limit.
struct QueueGauge: Sendable, Hashable {
    /// The tasks that are being stored.
    private(set) var arriving = 0
    /// The tasks that have been stored so far.
    private(set) var arrived = 0

    /// A task is about to be stored.
    mutating func begin() {
        arriving += 1
    }

    /// It is, or could not be.
    mutating func end(isStored: Bool) {
        arriving -= 1
        if isStored { arrived += 1 }
    }

    /// The length of the queue at most.
    ///
    /// - Parameters:
    ///   - counted: What the store has counted.
    ///   - before: ``arrived`` as it was before that.
    func length(counted: Int, arrivedBefore before: Int) -> Int {
        counted + arriving + arrived - before
    }
}
