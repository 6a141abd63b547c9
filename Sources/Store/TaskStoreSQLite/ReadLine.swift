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
        /// The time after which the read need not begin.
        let deadline: ContinuousClock.Instant?
        /// Runs the read on the connection of this number, and reports the result to the caller.
        let run: @Sendable (Database, Int) -> Void
        /// Reports to the caller that nothing was read.
        let fail: @Sendable (TaskStoreError) -> Void
    }

    private var jobs: [Int: Job] = [:]
    /// The numbers in the order of each line, including some that were removed.
    private var toBegin: Deque<Int> = []
    private var begun: Deque<Int> = []
    private var countBegun = 0
    /// True if it is the turn of a begun request.
    private var isTurnOfBegun = false

    /// The number of waiting reads.
    var count: Int { jobs.count }
    /// The number of waiting reads whose requests have not begun.
    var countToBegin: Int { jobs.count - countBegun }

    /// Adds a read at the end of its line.
    mutating func append(_ job: Job) {
        jobs[job.number] = job
        if job.isBegun {
            begun.append(job.number)
            countBegun += 1
        } else {
            toBegin.append(job.number)
        }
    }

    /// Removes and returns the read that has waited longest in the line whose turn it is, else in the other line.
    mutating func popFirst() -> Job? {
        let isTurnOfBegun = isTurnOfBegun
        self.isTurnOfBegun.toggle()
        return isTurnOfBegun ? pop(\.begun) ?? pop(\.toBegin) : pop(\.toBegin) ?? pop(\.begun)
    }

    private mutating func pop(_ line: WritableKeyPath<ReadLine, Deque<Int>>) -> Job? {
        while let number = self[keyPath: line].popFirst() {
            if let job = take(number) { return job }
        }
        return nil
    }

    private mutating func take(_ number: Int) -> Job? {
        guard let job = jobs.removeValue(forKey: number) else { return nil }
        if job.isBegun { countBegun -= 1 }
        return job
    }

    /// Removes and returns a read; returns `nil` if it is not waiting.
    mutating func remove(_ number: Int) -> Job? {
        guard let job = take(number) else { return nil }
        // Numbers of removed reads must not outnumber the waiting ones.
        if begun.count + toBegin.count > 2 * jobs.count + 64 {
            begun.removeAll { jobs[$0] == nil }
            toBegin.removeAll { jobs[$0] == nil }
        }
        return job
    }

    /// Removes and returns the reads that satisfy a condition.
    mutating func removeAll(where condition: (Job) -> Bool) -> [Job] {
        let leaving = jobs.values.filter(condition)
        return leaving.compactMap { remove($0.number) }
    }
}
