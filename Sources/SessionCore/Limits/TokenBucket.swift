/// A budget that fills evenly: so many tokens at once, then so many in each period.
///
/// It is exact: what is in it is counted in parts of a token, one token being as many parts as the period has
/// nanoseconds, so that each nanosecond adds ``count`` parts and nothing is ever rounded away. Between two moments it
/// gives no more than ``capacity`` and what the time between them adds, however late it is asked.
///
/// A value without a clock; times that go back change nothing.
public struct TokenBucket: Sendable, Hashable {
    /// How many tokens a period adds.
    public let count: Int
    /// The period.
    public let period: Duration
    /// How many tokens it holds when it is full.
    public let capacity: Int

    private let tokenParts: Int128
    /// Below zero when more was spent than there was.
    private var parts: Int128
    private var updated: ContinuousClock.Instant

    /// A full bucket.
    ///
    /// - Parameters:
    ///   - count: How many tokens a period adds. At least 1; less is taken for 1.
    ///   - period: At least a nanosecond; less is taken for that.
    ///   - capacity: How many tokens it holds, at least 1; `nil` for `count`.
    ///   - now: When it is full.
    public init(_ count: Int, per period: Duration, capacity: Int? = nil, at now: ContinuousClock.Instant) {
        self.count = max(count, 1)
        self.period = max(period, .nanoseconds(1))
        self.capacity = max(capacity ?? self.count, 1)
        tokenParts = self.period.wholeNanoseconds
        parts = tokenParts * Int128(self.capacity)
        updated = now
    }

    /// Takes one token out; `false`, and nothing taken, when there is none.
    public mutating func take(at now: ContinuousClock.Instant) -> Bool {
        fill(until: now)
        guard parts >= tokenParts else { return false }
        parts -= tokenParts
        return true
    }

    /// Takes tokens out, also such as are not there: what is missing is filled up before anything can be taken again.
    public mutating func spend(_ tokens: Int, at now: ContinuousClock.Instant) {
        fill(until: now)
        parts -= tokenParts * Int128(max(tokens, 0))
    }

    /// Takes over what another bucket of the same period holds, or owes, as far as this one can hold it.
    public mutating func takeOver(_ other: TokenBucket, at now: ContinuousClock.Instant) {
        guard other.period == period else { return }
        parts = min(other.available(at: now), limit)
        updated = max(updated, now)
    }

    /// Puts a token back that was taken for nothing; a full bucket takes none.
    public mutating func giveBack() {
        parts = min(parts + tokenParts, limit)
    }

    /// How many tokens can be taken at once.
    public func remaining(at now: ContinuousClock.Instant) -> Int {
        Int(max(available(at: now), 0) / tokenParts)
    }

    /// How long until ``take(at:)`` succeeds again: zero when it does so now.
    public func timeUntilNext(at now: ContinuousClock.Instant) -> Duration {
        time(for: tokenParts, at: now)
    }

    /// How long until what was spent too much is filled up: zero when nothing was.
    public func timeUntilPaid(at now: ContinuousClock.Instant) -> Duration {
        time(for: 0, at: now)
    }

    /// How long until it is full, when nothing is taken meanwhile.
    public func timeUntilFull(at now: ContinuousClock.Instant) -> Duration {
        time(for: limit, at: now)
    }

    private var limit: Int128 { tokenParts * Int128(capacity) }

    private mutating func fill(until now: ContinuousClock.Instant) {
        parts = available(at: now)
        updated = max(updated, now)
    }

    private func available(at now: ContinuousClock.Instant) -> Int128 {
        guard now > updated else { return parts }
        return min(parts + updated.duration(to: now).wholeNanoseconds * Int128(count), limit)
    }

    private func time(for wanted: Int128, at now: ContinuousClock.Instant) -> Duration {
        let available = available(at: now)
        guard available < wanted else { return .zero }
        // Rounded up.
        let nanoseconds = (wanted - available + Int128(count) - 1) / Int128(count)
        return .nanoseconds(Int64(clamping: nanoseconds))
    }
}

extension Duration {
    /// The whole nanoseconds of a duration that is not negative.
    fileprivate var wholeNanoseconds: Int128 {
        Int128(components.seconds) * 1_000_000_000 + Int128(components.attoseconds / 1_000_000_000)
    }
}
