/// A point in time of a clock that never goes back: nanoseconds from an origin that does not change while a process
/// runs.
///
/// What the engine reads many thousand times a second: `ContinuousClock.Instant` means the same, but its layout belongs
/// to the standard library, and each copy and comparison is a call there.
public struct MonotonicInstant: InstantProtocol {
    /// The nanoseconds since the origin.
    public var nanoseconds: Int64

    /// A point in time from its nanoseconds.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The time so much later; as late as there is, where that is too late to be told.
    public func advanced(by duration: Duration) -> MonotonicInstant {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (added, isTooLate) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        let (sum, isPastEnd) = nanoseconds.addingReportingOverflow(added)
        let limit: Int64 = duration < .zero ? .min : .max
        return MonotonicInstant(nanoseconds: isTooLong || isTooLate || isPastEnd ? limit : sum)
    }

    /// How much later another time is; negative when it is earlier.
    public func duration(to other: MonotonicInstant) -> Duration {
        .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
    }

    /// Whether one time is earlier than another.
    public static func < (one: MonotonicInstant, other: MonotonicInstant) -> Bool {
        one.nanoseconds < other.nanoseconds
    }
}
