import ErrandLocking

/// The time of a manual clock, in which no two readings are equal, as those of a real clock.
///
/// Where the order of readings by several threads matters, equal readings would hide it.
package final class OrderedClock: Clock {
    private let clock: ManualClock
    private let readings = Mutex(0)

    /// Creates a clock that is ahead of another by a nanosecond for each reading.
    package init(_ clock: ManualClock) {
        self.clock = clock
    }

    package var now: ManualClock.Instant {
        readings.withLock { readings in
            readings += 1
            return clock.now.advanced(by: .nanoseconds(readings))
        }
    }

    package var minimumResolution: Duration { .nanoseconds(1) }

    package func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        try await clock.sleep(until: deadline, tolerance: tolerance)
    }
}
