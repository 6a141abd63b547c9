package import ErrandTime

/// The clocks of the gateway: one that is never set, and the time of day.
package struct GatewayClocks: Sendable {
    /// The clock for sleeps and for measuring durations.
    package let elapsed: any Clock<Duration>
    /// Returns the time of day.
    package let now: @Sendable () -> Timestamp
    /// The clock that the time of day is compared with, to notice that it was set; `nil` for no comparison.
    package let jumpDetection: (any Clock<Duration>)?

    /// Creates the clocks, by default those of the system.
    package init(
        elapsed: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Timestamp = Timestamp.now,
        jumpDetection: (any Clock<Duration>)? = ContinuousClock()
    ) {
        self.elapsed = elapsed
        self.now = now
        self.jumpDetection = jumpDetection
    }
}
