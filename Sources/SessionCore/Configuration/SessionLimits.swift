/// How much a session does at a time.
public struct SessionLimits: Sendable, Hashable {
    /// The most tasks that run at once.
    ///
    /// Default: 32.
    public var concurrent: Int

    /// Creates limits.
    public init(concurrent: Int = 32) {
        self.concurrent = concurrent
    }
}
