/// The valid ranges of retry settings, for all places where they can be set.
extension RetryConfiguration {
    /// The range of ``maxAttempts``.
    public static let maxAttemptsRange = 1...1000
    /// The range of ``maxElapsed``: up to a year.
    public static let maxElapsedRange: ClosedRange<Duration> = .milliseconds(1)...(.seconds(365 * 86_400))
}

extension RetryConfiguration.Backoff {
    /// The range of ``initial``: up to a day.
    public static let initialRange: ClosedRange<Duration> = .milliseconds(1)...(.seconds(86_400))
    /// The range of ``multiplier``.
    public static let multiplierRange: ClosedRange<Double> = 1...100
    /// The range of ``max``: up to 31 days.
    public static let maxRange: ClosedRange<Duration> = .milliseconds(1)...(.seconds(31 * 86_400))
    /// The range of ``jitter``.
    public static let jitterRange: ClosedRange<Double> = 0...1
}
