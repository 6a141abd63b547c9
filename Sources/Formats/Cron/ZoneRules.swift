/// The offsets of a time zone from UTC.
///
/// Instants are seconds since 1970-01-01T00:00:00Z without leap seconds; offsets are seconds, positive to the east.
package protocol ZoneRules: Sendable {
    /// Returns the offset at an instant, more than −26 hours and less than 26 hours.
    func offset(at instant: Int64) -> Int64

    /// Returns the first later instant from which the offset may differ, not beyond `end`, or `nil` if there is none.
    func nextChange(after instant: Int64, before end: Int64) -> Int64?
}

/// A time zone with a fixed offset.
package struct FixedOffset: ZoneRules {
    private let offset: Int64

    /// UTC.
    package static let utc = FixedOffset(seconds: 0)

    /// Creates a time zone.
    ///
    /// - Parameter seconds: The offset from UTC.
    package init(seconds: Int64) {
        offset = seconds
    }

    package func offset(at instant: Int64) -> Int64 { offset }

    package func nextChange(after instant: Int64, before end: Int64) -> Int64? { nil }
}
