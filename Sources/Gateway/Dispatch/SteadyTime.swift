/// Time that only goes on, as some clock measures it: rates, pauses and circuits go by it.
struct SteadyTime: Sendable {
    /// Lets time pass.
    let clock: any Clock<Duration>
    private let read: @Sendable () -> ContinuousClock.Instant

    /// Creates the time of a clock.
    init(_ clock: any Clock<Duration>) {
        self.clock = clock
        read = Self.reader(clock)
    }

    /// This moment.
    var now: ContinuousClock.Instant { read() }

    private static func reader<Measure: Clock<Duration>>(
        _ clock: Measure
    ) -> @Sendable () -> ContinuousClock.Instant {
        let (zero, start) = (ContinuousClock.now, clock.now)
        return { zero.advanced(by: start.duration(to: clock.now)) }
    }
}
