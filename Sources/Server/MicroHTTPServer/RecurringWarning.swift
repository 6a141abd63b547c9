/// Limits the lines that the log has about one condition: the first occurrence, then at most one a minute with the number
/// of occurrences since the last.
struct RecurringWarning {
    /// The time between two lines.
    private static let pause: Milliseconds = 60_000

    private var lastLine: Milliseconds?
    private var occurrences = 0

    /// Counts an occurrence.
    ///
    /// - Parameter now: The time of the monotonic clock.
    /// - Returns: The number of occurrences that a line is to tell of; `nil` for no line.
    mutating func occurred(at now: Milliseconds) -> Int? {
        occurrences += 1
        if let lastLine, now - lastLine < Self.pause { return nil }
        defer { occurrences = 0 }
        lastLine = now
        return occurrences
    }
}
