/// A clock that is never set, read from any clock, for rates, pauses and circuit breakers.
package struct MonotonicClock: Sendable {
    /// The clock to sleep with.
    package let clock: any Clock<Duration>
    private let read: @Sendable () -> ContinuousClock.Instant

    /// The system's continuous clock.
    package static let system = MonotonicClock(ContinuousClock())

    /// Creates a clock that reads another one.
    package init(_ clock: any Clock<Duration>) {
        self.clock = clock
        read = Self.instants(of: clock)
    }

    /// The current time.
    package var now: ContinuousClock.Instant { read() }

    /// Returns a function that reads a clock as instants of `ContinuousClock`, with an arbitrary origin.
    private static func instants<C: Clock<Duration>>(of clock: C) -> @Sendable () -> ContinuousClock.Instant {
        // The usual clock is read several times for each task, and needs no conversion.
        if C.self == ContinuousClock.self { return { ContinuousClock.now } }
        let start = clock.now
        let origin = ContinuousClock.now
        return { origin.advanced(by: start.duration(to: clock.now)) }
    }
}
