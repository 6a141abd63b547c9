import Authentication
import Transfer

extension AuthenticationClock {
    /// The clocks of a session.
    ///
    /// - Parameters:
    ///   - clock: By which tokens expire.
    ///   - now: The time of day, in seconds since 1970.
    init(_ clock: any Clock<Duration>, now: @escaping @Sendable () -> Int64) {
        self.init(monotonic: Self.monotonic(clock), secondsSince1970: now)
    }

    /// The time of a clock since it was asked for.
    private static func monotonic<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> MonotonicInstant {
        let origin = clock.now
        return { MonotonicInstant(nanoseconds: 0).advanced(by: origin.duration(to: clock.now)) }
    }
}
