package import SessionCore

/// How many retries a session may make, so that they are a small part of its attempts however much fails.
///
/// Each first attempt adds ``RetryConfiguration/Budget/ratio`` retries, and each second
/// ``RetryConfiguration/Budget/minPerSecond`` of them. It holds what ten seconds add, at least ten retries, and begins
/// full, so that a quiet session retries at once. What goes beyond waits until the seconds have made up for it.
///
/// A value without a clock; times that go back change nothing.
package struct RetryBudget: Sendable, Hashable {
    /// What it was made from.
    package private(set) var configuration: RetryConfiguration.Budget
    /// The retries that can be made at once; below zero when some have been put off.
    private var balance: Double
    private var updated: ContinuousClock.Instant

    /// The slowest that a budget fills, in retries a second: no retry waits for ever.
    package static let slowest = 0.1
    /// The time whose retries it holds, in seconds.
    private static let window = 10.0

    /// A full budget.
    package init(_ configuration: RetryConfiguration.Budget, at now: ContinuousClock.Instant) {
        self.configuration = configuration
        balance = 0
        updated = now
        balance = capacity
    }

    /// Takes another configuration; what has been saved or put off stays so.
    package mutating func configure(_ configuration: RetryConfiguration.Budget, at now: ContinuousClock.Instant) {
        fill(until: now)
        self.configuration = configuration
        balance = min(balance, capacity)
    }

    /// A task's first attempt has begun.
    package mutating func noteFirstAttempt(at now: ContinuousClock.Instant) {
        fill(until: now)
        balance = min(balance + max(configuration.ratio, 0), capacity)
    }

    /// Counts a retry, and tells how much later than wanted it must be made.
    ///
    /// - Returns: Not below zero.
    package mutating func reserve(at now: ContinuousClock.Instant) -> Duration {
        fill(until: now)
        balance -= 1
        return balance >= 0 ? .zero : .seconds(-balance / perSecond)
    }

    private var perSecond: Double { max(configuration.minPerSecond, Self.slowest) }
    private var capacity: Double { max(perSecond * Self.window, 10) }

    private mutating func fill(until now: ContinuousClock.Instant) {
        guard now > updated else { return }
        balance = min(balance + updated.duration(to: now) / .seconds(1) * perSecond, capacity)
        updated = now
    }
}
