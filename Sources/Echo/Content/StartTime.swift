import Locking

/// The time at which something began, set once.
final class StartTime<Instant: Sendable>: Sendable {
    private let instant = Mutex<Instant?>(nil)

    /// Takes the time when it is not set yet, and gives the one that is.
    func set(to now: Instant) -> Instant {
        instant.withLock { instant in
            let start = instant ?? now
            instant = start
            return start
        }
    }
}
