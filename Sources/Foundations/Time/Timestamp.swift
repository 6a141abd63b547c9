/// An instant, in milliseconds since 1970-01-01T00:00:00Z without leap seconds, within the years 0000 to 9999.
///
/// Every value has a text form (RFC 3339), because values outside of those years are not possible.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970; negative before.
    package let milliseconds: Int64

    /// 0000-01-01T00:00:00.000Z.
    package static let earliest = Timestamp(unchecked: -62_167_219_200_000)
    /// 9999-12-31T23:59:59.999Z.
    package static let latest = Timestamp(unchecked: 253_402_300_799_999)

    /// Creates an instant; values outside of ``earliest`` to ``latest`` are clamped.
    package init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Timestamp.earliest.milliseconds), Timestamp.latest.milliseconds)
    }

    private init(unchecked milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// Returns the instant that is `duration` later, or earlier if it is negative.
    ///
    /// The duration is truncated to whole milliseconds towards zero, and the result is clamped to ``earliest`` and
    /// ``latest``.
    package func adding(_ duration: Duration) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        if overflow { return duration < .zero ? .earliest : .latest }
        return Timestamp(milliseconds: sum)
    }

    /// Returns the time by which this instant is later than `other`.
    package func duration(since other: Timestamp) -> Duration {
        .milliseconds(milliseconds - other.milliseconds)
    }
}

extension Timestamp {
    /// Returns the system's time.
    ///
    /// Components take the clock as a parameter, with this function as the default.
    package static func now() -> Timestamp {
        Timestamp(milliseconds: SystemClock.millisecondsSince1970())
    }
}
