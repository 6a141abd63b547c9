package import ErrandCryptography
import ErrandLocking
package import ErrandTime

/// Creates the identifiers of tasks in a process.
///
/// Each is greater than the previous one, regardless of the clock.
package final class TaskIDGenerator: Sendable {
    private struct State: Sendable {
        var sequence = TaskIDSequence()
        var random: RandomReserve
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> Timestamp

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - now: The clock.
    ///   - random: The source of the random bits; by default the kernel.
    package init(
        now: @escaping @Sendable () -> Timestamp = Timestamp.now,
        random: RandomReserve = RandomReserve()
    ) {
        self.now = now
        state = Mutex(State(random: random))
    }

    /// Makes all future identifiers greater than the given one.
    package func advance(beyond id: TaskID) {
        state.withLock { $0.sequence.advance(beyond: id) }
    }

    /// Returns the next identifier.
    ///
    /// May be called on any thread.
    package func next() -> TaskID {
        state.withLock { $0.sequence.next(at: now(), using: &$0.random) }
    }
}
