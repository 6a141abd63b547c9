import DequeModule
import ErrandTaskStore
import GRDB

/// The reads that wait for a connection, first in, first out.
///
/// Each can be removed early.
///
/// A value without I/O.
struct ReadLine {
    /// A waiting read.
    struct Job: Sendable {
        /// The number that identifies the read.
        let number: Int
        /// The time after which the read need not begin.
        let deadline: ContinuousClock.Instant?
        /// Runs the read on the connection of this number, and reports the result to the caller.
        let run: @Sendable (Database, Int) -> Void
        /// Reports to the caller that nothing was read.
        let fail: @Sendable (TaskStoreError) -> Void
    }

    private var jobs: [Int: Job] = [:]
    /// The numbers in order, including some that were removed.
    private var order: Deque<Int> = []

    /// The number of waiting reads.
    var count: Int { jobs.count }

    /// Adds a read at the end.
    mutating func append(_ job: Job) {
        jobs[job.number] = job
        order.append(job.number)
    }

    /// Removes and returns the read that has waited longest.
    mutating func popFirst() -> Job? {
        while let number = order.popFirst() {
            if let job = jobs.removeValue(forKey: number) { return job }
        }
        return nil
    }

    /// Removes and returns a read; returns `nil` if it is not waiting.
    mutating func remove(_ number: Int) -> Job? {
        guard let job = jobs.removeValue(forKey: number) else { return nil }
        // Numbers of removed reads must not outnumber the waiting ones.
        if order.count > 2 * jobs.count + 64 { order = Deque(order.filter { jobs[$0] != nil }) }
        return job
    }

    /// Removes and returns the reads that satisfy a condition.
    mutating func removeAll(where condition: (Job) -> Bool) -> [Job] {
        let leaving = jobs.values.filter(condition)
        return leaving.compactMap { remove($0.number) }
    }
}
