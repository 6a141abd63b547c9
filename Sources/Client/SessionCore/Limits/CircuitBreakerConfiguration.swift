/// The rules by which a session pauses requests to an upstream that keeps failing.
public struct CircuitBreakerConfiguration: Sendable, Hashable {
    /// The number of failures within ``window`` that opens the circuit; 0, the default, disables it.
    public var failures: Int
    /// The period in which failures are counted together.
    ///
    /// Default: 60 s.
    public var window: Duration
    /// The time for which no attempt is started; then a single attempt tests the upstream.
    ///
    /// Default: 30 s.
    public var open: Duration

    /// Creates the configuration.
    public init(failures: Int = 0, window: Duration = .seconds(60), open: Duration = .seconds(30)) {
        self.failures = failures
        self.window = window
        self.open = open
    }
}
