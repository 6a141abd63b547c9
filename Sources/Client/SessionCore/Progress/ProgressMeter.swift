/// The count of the bytes of one direction of a request, over all its transfers, and their rate.
///
/// A value: the time is given to each call.
package struct ProgressMeter: Sendable {
    /// The time over which the rate is smoothed.
    private static let smoothing = 2.0

    /// The number of bytes of the current transfer.
    private var current: Int64 = 0
    /// The same after decoding.
    private var currentDecoded: Int64 = 0
    /// The greatest number of bytes of a transfer of the same content.
    private var completed: Int64 = 0
    /// The same after decoding.
    private var decoded: Int64 = 0
    /// The total of the current transfer; `nil` if unknown.
    private var total: Int64?
    /// The last known total.
    private var knownTotal: Int64?
    /// The start of the next measurement of the rate; `nil` before the first bytes of a transfer.
    private var start: (time: ContinuousClock.Instant, bytes: Int64)?
    /// The smoothed rate in bytes per second; `nil` until it was measured.
    private var rate: Double?

    /// Creates a meter without bytes.
    package init() {}

    /// True if no bytes were counted.
    var isEmpty: Bool { completed == 0 }

    /// Records the number of bytes of the current transfer.
    package mutating func count(_ bytes: Int64, decoded: Int64, total: Int64?, at now: ContinuousClock.Instant) {
        if let total {
            // Another total, or one that was exceeded already, is that of other content.
            if total != knownTotal ?? total || completed > total {
                completed = 0
                self.decoded = 0
            }
            knownTotal = total
        }
        // A transfer that has not begun knows no total; that of the one before is still the best.
        self.total = total ?? (bytes == 0 ? self.total : nil)
        (current, currentDecoded) = (bytes, decoded)
        completed = max(completed, bytes)
        self.decoded = max(self.decoded, decoded)
        measure(at: now)
    }

    /// Excludes the time until the next count from the rate.
    mutating func interrupt() {
        start = nil
    }

    /// Records that nothing is left.
    mutating func complete() {
        current = completed
        total = completed
    }

    /// Records that the current transfer has brought everything, and that earlier ones do not count any longer.
    mutating func completeWithCurrent() {
        (completed, decoded) = (current, currentDecoded)
        total = completed
    }

    private mutating func measure(at now: ContinuousClock.Instant) {
        guard let (time, bytes) = start, current >= bytes else {
            start = (now, current)
            return
        }
        let duration = time.duration(to: now)
        let moved = current - bytes
        // Time before the first bytes and after the last ones is not part of the rate.
        guard moved > 0 || rate != nil && current < total ?? .max else {
            start = (now, current)
            return
        }
        guard duration >= ProgressMachine.interval else { return }
        let seconds = duration / Duration.seconds(1)
        let measured = Double(moved) / seconds
        if let rate {
            self.rate = rate + (measured - rate) * seconds / (seconds + Self.smoothing)
        } else {
            rate = measured
        }
        start = (now, current)
    }

    /// The progress so far.
    var progress: DirectionProgress {
        DirectionProgress(
            completed: completed, total: total, decoded: decoded, bytesPerSecond: bytesPerSecond, timeLeft: timeLeft)
    }

    /// The rate in bytes per second, smoothed over about two seconds; `nil` until it was measured for a tenth of a
    /// second.
    package var bytesPerSecond: Int64? {
        rate.map { Int64(exactly: $0.rounded()) ?? .max }
    }

    private var timeLeft: Duration? {
        guard let total else { return nil }
        let left = total - current
        if left <= 0 { return .zero }
        guard let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return .seconds(Double(left) / Double(bytesPerSecond))
    }
}
