import SessionCore
import TaskStore

/// What time has to do with whether a session's next attempt may begin: its rate, what its upstream has asked for, and
/// whether that is well.
struct SessionGate {
    /// Whether an attempt may begin.
    enum Opening: Hashable {
        /// Now.
        case open
        /// Not before.
        case later(ContinuousClock.Instant, TaskHold)
        /// Not before something happens.
        case shut(TaskHold)

        /// When it is worth asking again; `nil` when time has nothing to do with it.
        var time: ContinuousClock.Instant? {
            guard case .later(let time, _) = self else { return nil }
            return time
        }
    }

    private(set) var rules: SessionRules
    private(set) var breaker: CircuitBreaker
    var budget: RetryBudget
    /// Gives a token to each attempt that begins; `nil` when there may be any number.
    private var bucket: TokenBucket?
    /// Until when the upstream wants to be left alone.
    private var quietUntil: ContinuousClock.Instant?

    init(_ rules: SessionRules, at now: ContinuousClock.Instant) {
        self.rules = rules
        breaker = CircuitBreaker(rules.circuitBreaker)
        budget = RetryBudget(rules.retryBudget, at: now)
        bucket = Self.bucket(rules.limits, at: now)
    }

    /// Takes other rules: what has not changed in them goes on as it is.
    mutating func configure(_ rules: SessionRules, at now: ContinuousClock.Instant) {
        if rules.limits.rate != self.rules.limits.rate || rules.limits.burst != self.rules.limits.burst {
            let former = bucket?.remaining(at: now)
            bucket = Self.bucket(rules.limits, at: now)
            // No fresh burst for being configured again.
            if let former, let capacity = bucket?.capacity, former < capacity {
                bucket?.spend(capacity - former, at: now)
            }
        }
        breaker.configure(rules.circuitBreaker)
        budget.configure(rules.retryBudget, at: now)
        self.rules = rules
    }

    private static func bucket(_ limits: SessionLimits, at now: ContinuousClock.Instant) -> TokenBucket? {
        guard let rate = limits.rate else { return nil }
        return TokenBucket(rate.count, per: rate.period, capacity: limits.burst ?? rate.perSecond, at: now)
    }

    /// Whether an attempt may begin.
    func opening(at now: ContinuousClock.Instant) -> Opening {
        switch breaker.state(at: now) {
        case .closed: break
        case .open(let until): return .later(until, .circuitOpen)
        case .halfOpen: if !breaker.isReady(at: now) { return .shut(.circuitOpen) }
        }
        if let quietUntil = quietUntil(at: now) { return .later(quietUntil, .retryAfter) }
        let wait = bucket?.timeUntilNext(at: now) ?? .zero
        return wait > .zero ? .later(now.advanced(by: wait), .rate) : .open
    }

    /// The attempt of `task` begins, if one may.
    ///
    /// - Returns: Whether it may.
    mutating func begin(_ task: TaskID, at now: ContinuousClock.Instant) -> Bool {
        guard opening(at: now) == .open, breaker.begin(task, at: now) else { return false }
        return bucket?.take(at: now) ?? true
    }

    /// The attempt of `task`, which had been let through, does not begin.
    mutating func giveBack(_ task: TaskID, at now: ContinuousClock.Instant) {
        bucket?.giveBack()
        breaker.note(.neutral, of: task, at: now)
    }

    /// What the attempt of `task` has told of the upstream.
    mutating func note(_ outcome: CircuitBreaker.Outcome, of task: TaskID, at now: ContinuousClock.Instant) {
        breaker.note(outcome, of: task, at: now)
    }

    /// Leaves the upstream alone until then, or longer if it has asked for that before.
    mutating func stayQuiet(until end: ContinuousClock.Instant) {
        quietUntil = max(quietUntil ?? end, end)
    }

    /// Until when the upstream wants to be left alone; `nil` when it does not.
    func quietUntil(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        quietUntil.flatMap { now < $0 ? $0 : nil }
    }

    /// How many attempts may start at once; `nil` for any number.
    func tokens(at now: ContinuousClock.Instant) -> Int? { bucket?.remaining(at: now) }
}

extension StartRate {
    /// How many may start in a second, at least one.
    fileprivate var perSecond: Int {
        let perSecond = Double(count) * (.seconds(1) / period)
        return perSecond < Double(Int32.max) ? max(Int(perSecond), 1) : Int(Int32.max)
    }
}
