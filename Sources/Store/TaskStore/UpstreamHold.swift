package import ErrandTime

/// The time for which a session sends nothing to its upstream, which outlives the process.
package struct UpstreamHold: Sendable, Hashable {
    /// The name of the session.
    package var session: String
    /// The origin of the upstream, such as `https://api.example.com`; empty for a session without a base URL.
    ///
    /// A hold applies only as long as the session has this upstream.
    package var origin: String
    /// The time until which the upstream asked for no requests; `nil` if it did not.
    package var quietUntil: Timestamp?
    /// The time until which the session's circuit is open, which is over for one that is half open; `nil` if it is
    /// closed.
    package var circuitOpenUntil: Timestamp?
    /// The sum of the jumps of the clock with which both times were worked out, in whole milliseconds.
    package var clockOffset: Duration

    /// Creates a hold.
    ///
    /// Without a time it is blank.
    package init(
        session: String, origin: String, quietUntil: Timestamp? = nil, circuitOpenUntil: Timestamp? = nil,
        clockOffset: Duration = .zero
    ) {
        self.session = session
        self.origin = origin
        self.quietUntil = quietUntil
        self.circuitOpenUntil = circuitOpenUntil
        self.clockOffset = clockOffset
    }

    /// True if there is no time, so that nothing needs to be stored.
    package var isBlank: Bool { quietUntil == nil && circuitOpenUntil == nil }
}
