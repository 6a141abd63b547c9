import DequeModule
import ErrandTaskStore
import GRDB

/// The reads that wait for a connection: in two lines, one of reads that belong to begun requests, one of all others.
///
/// The lines take turns, and each is first in, first out: neither many begun requests nor many others can delay one of
/// the other kind by more than its own line. Each read can be removed early.
///
/// A value without I/O.
struct ReadLine {
    /// A waiting read.
    struct Job: Sendable {
        /// The number that identifies the read.
        let number: Int
        /// True if the response to the request of the read has begun, or a part of its work is done.
        let isBegun: Bool
        /// The latest time at which the read begins; `nil` for no limit.
        let deadline: ContinuousClock.Instant?
        /// Runs the read on the connection of this number, and reports the result to the caller.
        let run: @Sendable (Database, Int) -> Void
        /// Reports to the caller that nothing was read.
        let fail: @Sendable (TaskStoreError) -> Void
    }

    /// The reads of one kind, first in, first out.
    private struct Line {
        private var jobs: [Int: Job] = [:]
        /// The numbers in order, including some that were removed.
        private var order: Deque<Int> = []

        var count: Int { jobs.count }

        mutating func append(_ job: Job) {
            jobs[job.number] = job
            order.append(job.number)
        }

        mutating func popFirst() -> Job? {
            while let number = order.popFirst() {
                if let job = jobs.removeValue(forKey: number) { return job }
            }
            return nil
        }

        mutating func remove(_ number: Int) -> Job? {
            guard let job = jobs.removeValue(forKey: number) else { return nil }
            // Numbers of removed reads must not outnumber the waiting ones.
            if order.count > 2 * jobs.count + 64 { order.removeAll { jobs[$0] == nil } }
            return job
        }

        mutating func removeAll(where condition: (Job) -> Bool) -> [Job] {
            let leaving = jobs.values.filter(condition)
            return leaving.compactMap { remove($0.number) }
        }
    }

    private var toBegin = Line()
    private var begun = Line()
    /// True if it is the turn of a begun request.
    private var isTurnOfBegun = false

    /// The number of waiting reads.
    var count: Int { toBegin.count + begun.count }
    /// The number of waiting reads whose requests have not begun.
    var countToBegin: Int { toBegin.count }

    /// Adds a read at the end of its line.
    mutating func append(_ job: Job) {
        if job.isBegun { begun.append(job) } else { toBegin.append(job) }
    }

    /// Removes and returns the read that has waited longest in the line whose turn it is, else in the other line.
    mutating func popFirst() -> Job? {
        defer { isTurnOfBegun.toggle() }
        return isTurnOfBegun ? begun.popFirst() ?? toBegin.popFirst() : toBegin.popFirst() ?? begun.popFirst()
    }

    /// Removes and returns a read; returns `nil` if it is not waiting.
    mutating func remove(_ number: Int) -> Job? {
        toBegin.remove(number) ?? begun.remove(number)
    }

    /// Removes and returns the reads that satisfy a condition.
    mutating func removeAll(where condition: (Job) -> Bool) -> [Job] {
        toBegin.removeAll(where: condition) + begun.removeAll(where: condition)
    }
}
