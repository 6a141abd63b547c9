/// The time until which an upstream asked for no requests: `Retry-After`, or the reset of its rate limit.
///
/// A value without a clock.
struct RequestedPause: Sendable, Hashable {
    /// The latest requested end, which may have passed; `nil` if there was none.
    private(set) var requestedEnd: ContinuousClock.Instant?

    /// Creates a state in which the upstream has asked for nothing.
    init() {}

    /// Returns the end of the pause; `nil` if there is none, or it has passed.
    func end(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        requestedEnd.flatMap { now < $0 ? $0 : nil }
    }

    /// Lasts until `end`, or until a later time requested earlier.
    mutating func extend(to end: ContinuousClock.Instant) {
        requestedEnd = max(requestedEnd ?? end, end)
    }

    /// Shortens a pause under way.
    ///
    /// - Parameter longest: The longest pause from now on; `nil` if none is respected.
    mutating func shorten(to longest: Duration?, at now: ContinuousClock.Instant) {
        requestedEnd = requestedEnd.flatMap { end in longest.map { min(end, now.advanced(by: $0)) } }
    }
}
