import ErrandTime
package import ErrandTransfer

/// The two clocks that authentication uses.
package struct AuthenticationClock: Sendable {
    /// A monotonic time, used for the expiry of tokens.
    package var monotonic: @Sendable () -> MonotonicInstant
    /// The seconds since 1970-01-01T00:00:00Z, used in signatures.
    package var secondsSince1970: @Sendable () -> Int64

    /// Creates clocks.
    package init(
        monotonic: @escaping @Sendable () -> MonotonicInstant, secondsSince1970: @escaping @Sendable () -> Int64
    ) {
        self.monotonic = monotonic
        self.secondsSince1970 = secondsSince1970
    }

    /// Creates the clocks of a session.
    ///
    /// - Parameters:
    ///   - clock: The clock by which tokens expire.
    ///   - now: Returns the time of day, in seconds since 1970.
    package init(_ clock: any Clock<Duration>, now: @escaping @Sendable () -> Int64) {
        let time = MonotonicClock(clock)
        let origin = time.now
        self.init(
            monotonic: { MonotonicInstant(nanoseconds: 0).advanced(by: origin.duration(to: time.now)) },
            secondsSince1970: now)
    }

    /// The system's clocks; the monotonic one continues while the machine sleeps, as the validity of a token does.
    package static let system = AuthenticationClock(ContinuousClock()) { SystemClock.secondsSince1970() }
}
