/// An instant, in milliseconds since 1970-01-01T00:00:00Z without leap seconds, within the years 0000 to 9999.
///
/// Every value has a text form (RFC 3339), because values outside of those years cannot be made.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970; negative before.
    package let milliseconds: Int64

    /// 0000-01-01T00:00:00.000Z.
    package static let earliest = Timestamp(unchecked: -62_167_219_200_000)
    /// 9999-12-31T23:59:59.999Z.
    package static let latest = Timestamp(unchecked: 253_402_300_799_999)

    /// Creates an instant; a number outside of ``earliest`` to ``latest`` becomes the nearer of both.
    package init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Timestamp.earliest.milliseconds), Timestamp.latest.milliseconds)
    }

    private init(unchecked milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The instant that is `duration` later (earlier, if it is negative), cut to whole milliseconds towards zero, and
    /// at ``earliest`` or ``latest`` where it would lie beyond.
    package func adding(_ duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        // Far below Int64's limits: `self` and the fraction cannot carry a sum of a non-overflowed product over them
        // unless the product itself is near a limit, which saturation below covers.
        let (sum, sumOverflow) = milliseconds.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        let (total, totalOverflow) = self.milliseconds.addingReportingOverflow(sum)
        if overflow || sumOverflow || totalOverflow {
            return seconds < 0 ? .earliest : .latest
        }
        return Timestamp(milliseconds: total)
    }

    /// How much later this instant is than `other`.
    package func duration(since other: Timestamp) -> Duration {
        .milliseconds(milliseconds - other.milliseconds)
    }
}
