/// How far the clocks of a place are ahead of UTC through time.
///
/// Instants are seconds since 1970-01-01T00:00:00Z without leap seconds, offsets seconds, positive to the east.
package protocol ZoneRules: Sendable {
    /// The offset at an instant, more than −26 hours and less than 26.
    func offset(at instant: Int64) -> Int64

    /// The first instant after another from which the offset may be a different one, not beyond `end`; `nil` when there
    /// is none.
    func nextChange(after instant: Int64, before end: Int64) -> Int64?
}

/// The clock that never changes.
package struct FixedOffset: ZoneRules {
    private let offset: Int64

    /// The clock of UTC.
    package static let utc = FixedOffset(seconds: 0)

    /// Creates a clock.
    ///
    /// - Parameter seconds: How far it is ahead of UTC.
    package init(seconds: Int64) {
        offset = seconds
    }

    package func offset(at instant: Int64) -> Int64 { offset }

    package func nextChange(after instant: Int64, before end: Int64) -> Int64? { nil }
}
