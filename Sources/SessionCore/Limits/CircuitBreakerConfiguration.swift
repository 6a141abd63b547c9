/// When a session stops asking an upstream that only fails.
public struct CircuitBreakerConfiguration: Sendable, Hashable {
    /// So many failures within ``window`` open the circuit; 0, the default, for never.
    public var failures: Int
    /// The time in which failures are counted together.
    ///
    /// Default: 60 s.
    public var window: Duration
    /// How long nothing is started then; after it one attempt finds out whether the upstream is well again.
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
