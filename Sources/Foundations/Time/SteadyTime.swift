/// A monotonic time read from any clock, for rates, pauses and circuit breakers.
package struct SteadyTime: Sendable {
    /// The clock to sleep with.
    package let clock: any Clock<Duration>
    private let read: @Sendable () -> ContinuousClock.Instant

    /// The time of the system's continuous clock.
    package static let system = SteadyTime(ContinuousClock())

    /// Creates the time of a clock.
    package init(_ clock: any Clock<Duration>) {
        self.clock = clock
        read = Self.instants(of: clock)
    }

    /// The current time.
    package var now: ContinuousClock.Instant { read() }

    /// Returns a function that reads a clock as instants of `ContinuousClock`, with an arbitrary origin.
    private static func instants<C: Clock<Duration>>(of clock: C) -> @Sendable () -> ContinuousClock.Instant {
        let start = clock.now
        let origin = ContinuousClock.now
        return { origin.advanced(by: start.duration(to: clock.now)) }
    }
}
