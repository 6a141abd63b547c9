/// A budget that fills evenly: so many requests at once, then as many in each period.
///
/// It is exact: what is in it is counted in parts of a request, one request being as many parts as the period has
/// nanoseconds, so that each nanosecond adds ``count`` parts and nothing is ever rounded away.
///
/// A value without a clock; times that go back change nothing.
struct TokenBucket: Sendable, Hashable {
    /// How many requests it holds when it is full, which is how many a period adds.
    let count: Int
    /// The period.
    let period: Duration

    private let requestParts: UInt128
    private var parts: UInt128
    private var updated: ContinuousClock.Instant

    /// A full bucket.
    ///
    /// - Parameters:
    ///   - count: At least 1; less is taken for 1.
    ///   - period: At least a nanosecond; less is taken for that.
    init(_ count: Int, per period: Duration, at now: ContinuousClock.Instant) {
        self.count = max(count, 1)
        self.period = max(period, .nanoseconds(1))
        requestParts = self.period.wholeNanoseconds
        parts = requestParts * UInt128(self.count)
        updated = now
    }

    /// Takes one request out; `false`, and nothing taken, when there is none.
    mutating func take(at now: ContinuousClock.Instant) -> Bool {
        parts = available(at: now)
        updated = max(updated, now)
        guard parts >= requestParts else { return false }
        parts -= requestParts
        return true
    }

    /// How many requests can be taken at once.
    func remaining(at now: ContinuousClock.Instant) -> Int {
        Int(available(at: now) / requestParts)
    }

    /// How long until ``take(at:)`` succeeds again: zero when it does so now.
    func timeUntilNext(at now: ContinuousClock.Instant) -> Duration {
        time(for: requestParts, at: now)
    }

    /// How long until it is full, when nothing is taken meanwhile.
    func timeUntilFull(at now: ContinuousClock.Instant) -> Duration {
        time(for: capacity, at: now)
    }

    private var capacity: UInt128 { requestParts * UInt128(count) }

    private func available(at now: ContinuousClock.Instant) -> UInt128 {
        guard now > updated else { return parts }
        // What is longer than a period fills it in any case.
        let elapsed = min(updated.duration(to: now), period).wholeNanoseconds
        return min(parts + elapsed * UInt128(count), capacity)
    }

    private func time(for wanted: UInt128, at now: ContinuousClock.Instant) -> Duration {
        let available = available(at: now)
        guard available < wanted else { return .zero }
        // Rounded up: a whole period at most.
        return .nanoseconds(Int64((wanted - available + UInt128(count) - 1) / UInt128(count)))
    }
}

extension Duration {
    /// The whole nanoseconds of a duration that is not negative.
    fileprivate var wholeNanoseconds: UInt128 {
        UInt128(components.seconds) * 1_000_000_000 + UInt128(components.attoseconds / 1_000_000_000)
    }

    /// Seconds, rounded up.
    var secondsRoundedUp: Int {
        Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0)
    }
}
