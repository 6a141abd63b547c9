package import ErrandSessionCore

/// A token bucket that limits retries to a small part of all attempts, even if many attempts fail.
///
/// A retry takes a token when it begins. Each first attempt adds ``RetryConfiguration/Budget/ratio`` tokens, and each
/// second ``RetryConfiguration/Budget/minPerSecond`` tokens. A successful retry returns its token and adds as much as a
/// first attempt: a recovered upstream gets its backlog as fast as it answers, a failing one gets no more retries than
/// the time-based tokens allow. The capacity is the tokens of ten seconds, at least ten; the budget begins full.
///
/// Tokens are not reserved in advance: a retry without a token tries again later. The budget returns the delay, so that
/// waiting retries come one after the other. With many of them the delay grows, until a retry succeeds.
///
/// A value without a clock; times before the last one have no effect.
package struct RetryBudget: Sendable, Hashable {
    /// The configuration in force.
    package private(set) var configuration: RetryConfiguration.Budget
    /// The number of retries possible now.
    private var tokens: Double
    private var updated: ContinuousClock.Instant
    private var queue = LookAgainQueue()

    /// The minimum rate of refill, in retries per second, so that no retry waits forever.
    package static let slowest = RetryConfiguration.Budget.minPerSecondRange.lowerBound
    /// The time, in seconds, whose tokens make up the capacity.
    private static let window = 10.0

    /// Creates a full budget.
    package init(_ configuration: RetryConfiguration.Budget, at now: ContinuousClock.Instant) {
        self.configuration = configuration
        tokens = 0
        updated = now
        tokens = capacity
    }

    /// Replaces the configuration; the saved tokens stay.
    package mutating func configure(_ configuration: RetryConfiguration.Budget, at now: ContinuousClock.Instant) {
        fill(until: now)
        self.configuration = configuration
        tokens = min(tokens, capacity)
    }

    /// Counts the first attempt of a task.
    package mutating func noteFirstAttempt(at now: ContinuousClock.Instant) {
        add(max(configuration.ratio, 0), at: now)
    }

    /// Counts a successful retry.
    ///
    /// - Parameters:
    ///   - hadToken: True if it has taken a token, which it returns.
    ///   - now: The present.
    package mutating func noteSuccess(hadToken: Bool = true, at now: ContinuousClock.Instant) {
        add((hadToken ? 1 : 0) + max(configuration.ratio, 0), at: now)
        queue.restart(at: now)
    }

    /// Takes a token for a retry that is about to begin.
    ///
    /// - Returns: `nil` when the retry may begin, otherwise the time until the next try, above zero.
    package mutating func take(at now: ContinuousClock.Instant) -> Duration? {
        if let wait = wait(at: now) { return wait }
        tokens -= 1
        return nil
    }

    /// Returns the time until the next try of a retry that finds no token, above zero; `nil` if there is one.
    ///
    /// It takes no token.
    package mutating func wait(at now: ContinuousClock.Instant) -> Duration? {
        fill(until: now)
        guard tokens < 1 else { return nil }
        return queue.next(
            at: now, notBefore: Duration.seconds((1 - tokens) / perSecond), wideSpacing: wideSpacing)
    }

    /// Returns the token of a retry that has taken it and does not begin.
    package mutating func giveBack(at now: ContinuousClock.Instant) {
        add(1, at: now)
    }

    /// Returns true if the budget has no state worth keeping.
    package func isFull(at now: ContinuousClock.Instant) -> Bool {
        var budget = self
        budget.fill(until: now)
        return budget.tokens >= budget.capacity
    }

    /// The time between two tries of many waiting retries: no longer than between two tokens.
    private var wideSpacing: Duration {
        min(LookAgainQueue.wideSpacing, max(.seconds(1 / perSecond), LookAgainQueue.spacing))
    }
    private var perSecond: Double { max(configuration.minPerSecond, Self.slowest) }
    private var capacity: Double { max(perSecond * Self.window, 10) }

    private mutating func add(_ count: Double, at now: ContinuousClock.Instant) {
        fill(until: now)
        tokens = min(tokens + count, capacity)
    }

    private mutating func fill(until now: ContinuousClock.Instant) {
        guard now > updated else { return }
        tokens = min(tokens + updated.duration(to: now) / .seconds(1) * perSecond, capacity)
        updated = now
    }
}
