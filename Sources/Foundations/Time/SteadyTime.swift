import ErrandTime

/// A monotonic time read from any clock, for rates, pauses and circuit breakers.
struct SteadyTime: Sendable {
    /// The clock to sleep with.
    let clock: any Clock<Duration>
    private let read: @Sendable () -> ContinuousClock.Instant

    /// Creates the time of a clock.
    init(_ clock: any Clock<Duration>) {
        self.clock = clock
        read = clock.instants()
    }

    /// The current time.
    var now: ContinuousClock.Instant { read() }
}
