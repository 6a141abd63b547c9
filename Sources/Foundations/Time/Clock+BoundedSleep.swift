extension Clock where Duration == Swift.Duration {
    /// Sleeps for a duration, but for a century at the longest.
    ///
    /// The system's clock counts from the start of the machine. With a duration such as `.seconds(Int64.max)`, the end
    /// of the sleep would be out of its range, which ends the process.
    ///
    /// - Throws: `CancellationError` if the calling Swift task is canceled.
    package func boundedSleep(for duration: Duration) async throws {
        try await sleep(for: min(duration, longestSleep))
    }
}

/// The longest sleep: a hundred years of 366 days.
private let longestSleep = Duration.seconds(100 * 366 * 86_400)
