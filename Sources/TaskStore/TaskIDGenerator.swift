import Locking

/// Gives the tasks of a process their identifiers: each is greater than the one before, whatever the clock does.
package final class TaskIDGenerator: Sendable {
    private let sequence = Mutex(TaskIDSequence())
    private let now: @Sendable () -> Timestamp
    private let random: @Sendable () -> UInt64

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - now: The clock.
    ///   - random: Gives 64 random bits at each call; the system's generator by default.
    package init(
        now: @escaping @Sendable () -> Timestamp = Timestamp.now,
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    ) {
        self.now = now
        self.random = random
    }

    /// The next identifier.
    ///
    /// Any thread.
    package func next() -> TaskID {
        sequence.withLock { sequence in
            sequence.next(at: now(), random: random)
        }
    }
}
