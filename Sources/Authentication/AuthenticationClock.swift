import FoundationEssentials
public import Transfer

/// The two clocks that authentication looks at.
public struct AuthenticationClock: Sendable {
    /// A time that never goes back, by which tokens expire.
    public var monotonic: @Sendable () -> MonotonicInstant
    /// Seconds since 1970-01-01T00:00:00Z, which signatures carry.
    public var secondsSince1970: @Sendable () -> Int64

    /// Creates clocks.
    public init(
        monotonic: @escaping @Sendable () -> MonotonicInstant, secondsSince1970: @escaping @Sendable () -> Int64
    ) {
        self.monotonic = monotonic
        self.secondsSince1970 = secondsSince1970
    }

    /// The system's clocks; the monotonic one goes on while the machine sleeps, as the validity of a token does.
    ///
    /// `FoundationEssentials` is the only way to the wall clock that needs no C in this target.
    public static let system: AuthenticationClock = {
        let origin = ContinuousClock.now
        return AuthenticationClock(
            monotonic: { MonotonicInstant(nanoseconds: 0).advanced(by: origin.duration(to: .now)) },
            secondsSince1970: { Int64(Date.now.timeIntervalSince1970.rounded(.down)) })
    }()
}
