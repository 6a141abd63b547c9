import ErrandLocking

/// A start time, set once.
final class StartTime<Instant: Sendable>: Sendable {
    private let instant = Mutex<Instant?>(nil)

    /// Sets the time unless it is already set, and returns the stored time.
    func set(to now: Instant) -> Instant {
        instant.withLock { instant in
            let start = instant ?? now
            instant = start
            return start
        }
    }
}
