package import Dispatch

/// A fixed number of serial queues, for work that waits for a disk or computes for long.
///
/// Each piece of work goes to the queue with the least pending work, so that it does not wait behind another one that
/// hangs while a queue is free. Queues with equally much are used in turn.
///
/// On Linux a serial queue has a thread of its own while it works. A concurrent queue, like a global one, uses the
/// threads of Swift's pool: one for each core, and more only while they wait. Work that computes on all of them lets no
/// Swift task run.
package final class SerialQueues: Sendable {
    /// The number of bytes of a file that a step reads, of which a disk reads many at once.
    package static let stepBytes: Int64 = 16 << 20

    /// The queues.
    package let all: [DispatchQueue]
    private let pending: Mutex<PendingWork>

    /// Creates queues.
    ///
    /// - Parameters:
    ///   - count: The number of queues, which is the most work that is under way at once; at least 1.
    ///   - label: The beginning of their labels, each of which ends with its number.
    package init(count: Int, label: String) {
        let count = max(count, 1)
        all = (0..<count).map { DispatchQueue(label: "\(label)-\($0)") }
        pending = Mutex(PendingWork(counts: Array(repeating: 0, count: count)))
    }

    /// Performs work on the queue with the least pending work, and returns its result.
    ///
    /// The work may block, which the threads of Swift's pool must not.
    package func perform<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let number = pending.withLock { $0.begin() }
        defer { pending.withLock { $0.end(number) } }
        return try await all[number].perform(work)
    }

    /// Performs work on the queue with the least pending work, in steps between which the queue performs other work,
    /// and returns its result.
    ///
    /// - Parameter step: Performs a step, which may block; returns `nil` if another one follows.
    package func performInSteps<Value: Sendable, Failure: Error>(
        _ step: @escaping @Sendable () throws(Failure) -> Value?
    ) async throws(Failure) -> Value {
        let number = pending.withLock { $0.begin() }
        defer { pending.withLock { $0.end(number) } }
        return try await all[number].performInSteps(step)
    }

    /// Performs work with a state in steps, as ``performInSteps(_:)``.
    ///
    /// - Parameters:
    ///   - state: The state before the first step.
    ///   - step: Performs a step, which may block, and changes the state; returns `nil` if another one follows.
    package func performInSteps<State: ~Copyable & Sendable, Value: Sendable, Failure: Error>(
        with state: consuming State, _ step: @escaping @Sendable (inout State) throws(Failure) -> Value?
    ) async throws(Failure) -> Value {
        // Used by one step at a time; the lock satisfies the compiler and is never contended.
        let shared = Mutex(state)
        return try await performInSteps { () throws(Failure) -> Value? in
            try shared.withLock { (state) throws(Failure) -> Value? in try step(&state) }
        }
    }

    /// Returns a queue for an owner, such as a file, all of whose operations it performs in order.
    ///
    /// It is the queue with the least pending work of ``perform(_:)`` and ``performInSteps(_:)``. The work that the
    /// owner gives it is not counted: single work is for those methods.
    package func assign() -> DispatchQueue {
        all[pending.withLock { $0.choose() }]
    }

    /// The work of each queue that has not ended.
    private struct PendingWork {
        /// The number of works of each queue.
        var counts: [Int]
        /// The queue that is chosen next if all have equally much work.
        var turn = 0

        /// Returns the number of the queue with the least work.
        mutating func choose() -> Int {
            var chosen = turn
            for distance in 1..<counts.count {
                let number = (turn + distance) % counts.count
                if counts[number] < counts[chosen] { chosen = number }
            }
            turn = (chosen + 1) % counts.count
            return chosen
        }

        /// Counts work for the queue with the least, and returns its number.
        mutating func begin() -> Int {
            let number = choose()
            counts[number] += 1
            return number
        }

        /// Counts the work of a queue no longer.
        mutating func end(_ number: Int) {
            counts[number] -= 1
        }
    }
}
