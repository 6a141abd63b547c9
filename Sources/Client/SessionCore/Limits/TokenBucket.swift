import ErrandTime

/// A token bucket: it holds up to ``capacity`` tokens and gains ``count`` tokens in each period.
///
/// The calculation is exact: the content is counted in parts of a token, of which a token has as many as the period has
/// nanoseconds, so that each nanosecond adds ``count`` parts and nothing is rounded. Between two instants it never
/// gives more than ``capacity`` and the tokens added in between, however late it is asked.
///
/// A value without a clock; instants that go back change nothing.
package struct TokenBucket: Sendable, Hashable {
    /// The number of tokens added in each period.
    package let count: Int
    /// The period.
    package let period: Duration
    /// The maximum number of tokens.
    package let capacity: Int

    private let tokenParts: Int128
    /// The content in parts; negative after overspending.
    private var parts: Int128
    private var updated: ContinuousClock.Instant

    /// Creates a full bucket.
    ///
    /// - Parameters:
    ///   - count: The number of tokens added in each period, at least 1; lower values become 1.
    ///   - period: The period, at least a nanosecond; lower values become that.
    ///   - capacity: The maximum number of tokens, at least 1; `nil` for `count`.
    ///   - now: The current time.
    package init(_ count: Int, per period: Duration, capacity: Int? = nil, at now: ContinuousClock.Instant) {
        self.count = max(count, 1)
        self.period = max(period, .nanoseconds(1))
        self.capacity = max(capacity ?? self.count, 1)
        tokenParts = Int128(self.period.wholeNanoseconds)
        parts = tokenParts * Int128(self.capacity)
        updated = now
    }

    /// Takes one token; returns `false`, without taking any, if there is none.
    package mutating func take(at now: ContinuousClock.Instant) -> Bool {
        fill(until: now)
        guard parts >= tokenParts else { return false }
        parts -= tokenParts
        return true
    }

    /// Takes tokens even if there are not enough; the debt is refilled before any token can be taken.
    package mutating func spend(_ tokens: Int, at now: ContinuousClock.Instant) {
        fill(until: now)
        parts -= tokenParts * Int128(max(tokens, 0))
    }

    /// Adopts the content or debt of another bucket with the same period, up to this one's capacity.
    package mutating func takeOver(_ other: TokenBucket, at now: ContinuousClock.Instant) {
        guard other.period == period else { return }
        parts = min(other.available(at: now), limit)
        updated = max(updated, now)
    }

    /// Returns an unused token; no effect if the bucket is full.
    package mutating func giveBack() {
        parts = min(parts + tokenParts, limit)
    }

    /// Returns the number of tokens that can be taken now.
    package func remaining(at now: ContinuousClock.Instant) -> Int {
        Int(max(available(at: now), 0) / tokenParts)
    }

    /// Returns the time until ``take(at:)`` succeeds; zero if it succeeds now.
    package func timeUntilNext(at now: ContinuousClock.Instant) -> Duration {
        time(for: tokenParts, at: now)
    }

    /// Returns the time until the debt is refilled; zero if there is none.
    package func timeUntilPaid(at now: ContinuousClock.Instant) -> Duration {
        time(for: 0, at: now)
    }

    /// Returns the time until the bucket is full if no token is taken meanwhile.
    package func timeUntilFull(at now: ContinuousClock.Instant) -> Duration {
        time(for: limit, at: now)
    }

    private var limit: Int128 { tokenParts * Int128(capacity) }

    private mutating func fill(until now: ContinuousClock.Instant) {
        parts = available(at: now)
        updated = max(updated, now)
    }

    private func available(at now: ContinuousClock.Instant) -> Int128 {
        guard now > updated else { return parts }
        return min(parts + Int128(updated.duration(to: now).wholeNanoseconds) * Int128(count), limit)
    }

    private func time(for wanted: Int128, at now: ContinuousClock.Instant) -> Duration {
        let available = available(at: now)
        guard available < wanted else { return .zero }
        // Rounded up.
        let nanoseconds = (wanted - available + Int128(count) - 1) / Int128(count)
        return .nanoseconds(Int64(clamping: nanoseconds))
    }
}
