/// What the parts of a retry configuration may be, wherever they are written.
extension RetryConfiguration {
    /// The values of ``maxAttempts``.
    public static let maxAttemptsRange = 1...1000
    /// The values of ``maxElapsed``: up to a year.
    public static let maxElapsedRange: ClosedRange<Duration> = .milliseconds(1)...(.seconds(365 * 86_400))
}

extension RetryConfiguration.Backoff {
    /// The values of ``initial``: up to a day.
    public static let initialRange: ClosedRange<Duration> = .milliseconds(1)...(.seconds(86_400))
    /// The values of ``multiplier``.
    public static let multiplierRange: ClosedRange<Double> = 1...100
    /// The values of ``max``: up to 31 days.
    public static let maxRange: ClosedRange<Duration> = .milliseconds(1)...(.seconds(31 * 86_400))
    /// The values of ``jitter``.
    public static let jitterRange: ClosedRange<Double> = 0...1
}
