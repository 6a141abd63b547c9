import ErrandTime

/// The time of day.
public enum WallClock {
    /// Whole seconds since 1970-01-01T00:00:00Z.
    public static let now: @Sendable () -> Int64 = { SystemClock.secondsSince1970() }
}
