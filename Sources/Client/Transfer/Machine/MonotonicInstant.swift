import ErrandTime

/// A point in time of a monotonic clock: nanoseconds from an origin that is fixed while a process runs.
///
/// The engine reads it many thousand times a second. `ContinuousClock.Instant` is equivalent, but its layout is
/// internal to the standard library, so that each copy and comparison is a call.
package struct MonotonicInstant: InstantProtocol {
    /// The nanoseconds since the origin.
    package var nanoseconds: Int64

    /// Creates an instant from its nanoseconds.
    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Returns the instant later by `duration`, clamped to the representable range.
    package func advanced(by duration: Duration) -> MonotonicInstant {
        let (sum, isPastEnd) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return MonotonicInstant(nanoseconds: isPastEnd ? duration < .zero ? .min : .max : sum)
    }

    /// Returns the duration to another instant; negative if that is earlier.
    package func duration(to other: MonotonicInstant) -> Duration {
        .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
    }

    /// Returns true if `one` is earlier than `other`.
    package static func < (one: MonotonicInstant, other: MonotonicInstant) -> Bool {
        one.nanoseconds < other.nanoseconds
    }
}
