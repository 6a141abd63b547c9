import ErrandSessionCore
import ErrandTaskStore
import ErrandTransfer

/// The time-dependent limits on the next attempt of a session: rate, requested pause and circuit breaker.
struct SessionGate {
    /// The answer whether an attempt may start.
    enum Opening: Hashable {
        /// The attempt may start now.
        case open
        /// The attempt may start at this time, and waits for this reason.
        case later(ContinuousClock.Instant, WaitReason)
        /// The attempt waits for an event, for this reason.
        case shut(WaitReason)

        /// The time to try again; `nil` if it does not depend on time.
        var time: ContinuousClock.Instant? {
            guard case .later(let time, _) = self else { return nil }
            return time
        }
    }

    private(set) var rules: SessionRules
    private(set) var breaker: CircuitBreaker
    var budget: RetryBudget
    /// The token bucket for the rate of attempts; `nil` without a rate.
    private var bucket: TokenBucket?
    private var requestedPause = RequestedPause()

    init(_ rules: SessionRules, at now: ContinuousClock.Instant) {
        self.rules = rules
        breaker = CircuitBreaker(rules.circuitBreaker)
        budget = RetryBudget(rules.retryBudget, at: now)
        bucket = Self.bucket(rules.limits, at: now)
    }

    /// Replaces the rules; unchanged parts keep their state.
    ///
    /// The circuit and the requested pause are those of the upstream, which has another origin after some changes. A
    /// pause is shortened to the longest that the rules allow.
    mutating func configure(_ rules: SessionRules, at now: ContinuousClock.Instant) {
        if rules.limits.rate != self.rules.limits.rate || rules.limits.burst != self.rules.limits.burst {
            let former = bucket?.remaining(at: now)
            bucket = Self.bucket(rules.limits, at: now)
            // A new configuration does not refill the bucket.
            if let former, let capacity = bucket?.capacity, former < capacity {
                bucket?.spend(capacity - former, at: now)
            }
        }
        let isSameUpstream = rules.origin == self.rules.origin
        budget.configure(rules.retryBudget, at: now)
        self.rules = rules
        guard isSameUpstream else { return forgetUpstream() }
        breaker.configure(rules.circuitBreaker)
        requestedPause.shorten(to: rules.longestPause, at: now)
    }

    /// Closes the circuit, and forgets the pause that the upstream asked for.
    mutating func forgetUpstream() {
        breaker = CircuitBreaker(rules.circuitBreaker)
        requestedPause = RequestedPause()
    }

    private static func bucket(_ limits: SessionLimits, at now: ContinuousClock.Instant) -> TokenBucket? {
        guard let rate = limits.rate else { return nil }
        return TokenBucket(rate.count, per: rate.period, capacity: limits.burst ?? rate.perSecond, at: now)
    }

    /// Returns whether an attempt may start.
    func opening(at now: ContinuousClock.Instant) -> Opening {
        switch breaker.state(at: now) {
        case .closed: break
        case .open(let until): return .later(until, .circuitOpen)
        case .halfOpen: if !breaker.isReady(at: now) { return .shut(.circuitOpen) }
        }
        if let quietUntil = quietUntil(at: now) { return .later(quietUntil, .retryAfter) }
        guard let next = nextToken(at: now) else { return .open }
        return .later(next, .rate)
    }

    /// Starts the attempt of `task`, if allowed.
    ///
    /// - Returns: True if the attempt may start.
    mutating func begin(_ task: TaskID, at now: ContinuousClock.Instant) -> Bool {
        guard opening(at: now) == .open, breaker.begin(task, at: now) else { return false }
        return bucket?.take(at: now) ?? true
    }

    /// Undoes the start of the attempt of `task`, which was allowed but does not begin.
    mutating func giveBack(_ task: TaskID, at now: ContinuousClock.Instant) {
        bucket?.giveBack()
        breaker.note(.neutral, of: task, at: now)
    }

    /// Records the outcome of the attempt of `task`, and returns the change of the circuit.
    @discardableResult
    mutating func note(
        _ outcome: CircuitBreaker.Outcome, of task: TaskID, at now: ContinuousClock.Instant
    ) -> CircuitBreaker.Change? {
        breaker.note(outcome, of: task, at: now)
    }

    /// Starts no attempt before `end`, or before a later time requested earlier.
    mutating func stayQuiet(until end: ContinuousClock.Instant) {
        requestedPause.extend(to: end)
    }

    /// Restores the times that an earlier process knew, limited to the longest that the rules allow.
    ///
    /// - Returns: True if one was restored.
    mutating func restore(_ hold: Admission.Hold, at now: ContinuousClock.Instant) -> Bool {
        var isRestored = false
        if let end = hold.quietUntil, let longest = rules.longestPause, end > now {
            stayQuiet(until: min(end, now.advanced(by: longest)))
            isRestored = true
        }
        if let end = hold.circuitOpenUntil, breaker.open(until: end, at: now) { isRestored = true }
        return isRestored
    }

    /// Returns the time until which the upstream asked for no requests; `nil` if it did not, or the time has passed.
    func quietUntil(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        requestedPause.end(at: now)
    }

    /// Returns the number of attempts that may start now; `nil` without a rate.
    func tokens(at now: ContinuousClock.Instant) -> Int? { bucket?.remaining(at: now) }

    /// Returns the time at which the rate allows the next attempt; `nil` if it allows one now, or without a rate.
    func nextToken(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let wait = bucket?.timeUntilNext(at: now) ?? .zero
        return wait > .zero ? now.advanced(by: wait) : nil
    }
}

extension StartRate {
    /// The number of attempts per second, at least one.
    fileprivate var perSecond: Int {
        let perSecond = Double(count) * (.seconds(1) / period)
        return perSecond < Double(Int32.max) ? max(Int(perSecond), 1) : Int(Int32.max)
    }
}
