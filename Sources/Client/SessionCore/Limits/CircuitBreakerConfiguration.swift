/// The rules by which the owner of a queue of tasks pauses requests to an upstream that keeps failing.
package struct CircuitBreakerConfiguration: Sendable, Hashable {
    /// The number of failures within ``window`` that opens the circuit; 0, the default, disables it.
    package var failures: Int
    /// The period in which failures are counted together.
    ///
    /// Default: 60 s.
    package var window: Duration
    /// The time for which no attempt is started; then a single attempt tests the upstream.
    ///
    /// Default: 30 s.
    package var open: Duration

    /// Creates the configuration.
    package init(failures: Int = 0, window: Duration = .seconds(60), open: Duration = .seconds(30)) {
        self.failures = failures
        self.window = window
        self.open = open
    }
}
