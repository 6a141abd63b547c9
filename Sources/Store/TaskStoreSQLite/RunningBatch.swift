/// The operations that the writer commits now, and the decision whether it is logged that they take very long.
///
/// A value without a clock. A disk that does not answer ends no transaction: its time is known only while it runs.
struct RunningBatch: Sendable, Hashable {
    /// The time after which the store counts as not answering.
    static let limit = Duration.seconds(5)

    /// The time when the operations were taken; `nil` while there are none.
    private var takenAt: ContinuousClock.Instant?
    private var isReported = false

    /// Records that operations were taken.
    mutating func begin(at now: ContinuousClock.Instant) {
        takenAt = now
        isReported = false
    }

    /// Records that all operations have ended.
    mutating func end() {
        takenAt = nil
    }

    /// Returns the time since the operations were taken; `nil` if there are none.
    func age(at now: ContinuousClock.Instant) -> Duration? {
        takenAt.map { $0.duration(to: now) }
    }

    /// Returns the time since the operations were taken if it is at least ``limit``, once for the same operations.
    mutating func report(at now: ContinuousClock.Instant) -> Duration? {
        guard !isReported, let age = age(at: now), age >= Self.limit else { return nil }
        isReported = true
        return age
    }
}
