import FoundationEssentials

/// The time of day.
public enum WallClock {
    /// Whole seconds since 1970-01-01T00:00:00Z.
    public static let now: @Sendable () -> Int64 = {
        // The standard library has no clock of the time of day.
        Int64(Date.now.timeIntervalSince1970.rounded(.down))
    }
}
