import ErrandLocking
package import ErrandTime

/// Creates the identifiers of tasks in a process.
///
/// Each is greater than the previous one, regardless of the clock.
package final class TaskIDGenerator: Sendable {
    private let sequence = Mutex(TaskIDSequence())
    private let now: @Sendable () -> Timestamp
    private let random: @Sendable () -> UInt64

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - now: The clock.
    ///   - random: Returns 64 random bits; the system's generator by default.
    package init(
        now: @escaping @Sendable () -> Timestamp = Timestamp.now,
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    ) {
        self.now = now
        self.random = random
    }

    /// Makes all future identifiers greater than the given one.
    package func advance(beyond id: TaskID) {
        sequence.withLock { $0.advance(beyond: id) }
    }

    /// Returns the next identifier.
    ///
    /// May be called on any thread.
    package func next() -> TaskID {
        sequence.withLock { sequence in
            sequence.next(at: now(), random: random)
        }
    }
}
