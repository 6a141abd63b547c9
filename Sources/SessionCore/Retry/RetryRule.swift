import HTTPTypes

/// Whether a task is attempted again, and when.
///
/// | the attempt | another is made |
/// | --- | --- |
/// | has succeeded | never |
/// | has failed with an error that may pass (``SessionError/isRetryable``) | yes |
/// | was answered with one of the rule's statuses | yes |
/// | has failed in any other way: canceled, past its deadline, refused by a policy, by trust, by its own request | never |
///
/// A request that may have arrived is sent again only with one of the rule's methods, or with an `Idempotency-Key`. An
/// answer is proof that it has arrived: also 429 and 503, for which no standard promises that nothing was done.
///
/// Pure: time and randomness are parameters.
public struct RetryRule: Sendable, Hashable {
    /// When the next attempt is made.
    public enum Pauses: Sendable, Hashable {
        /// After pauses that grow, so many attempts in all.
        case growing(RetryConfiguration.Backoff, maxAttempts: Int)
        /// After these pauses, one after the other, made longer or shorter at random by a part of them.
        case listed([Duration], jitter: Double)
    }

    /// What is sent again though it may have arrived.
    public enum Repeatable: Sendable, Hashable {
        /// Requests with these methods, and those with an `Idempotency-Key`.
        case methods(Set<String>)
        /// Every request: its receiver knows one that comes twice.
        case all
    }

    /// When the next attempt is made.
    public var pauses: Pauses
    /// The longest that attempts go on after the first one began; `nil` for as long as there are pauses.
    public var maxElapsed: Duration?
    /// What is sent again though it may have arrived.
    public var repeatable: Repeatable
    /// The statuses after which it is worth trying again.
    public var statuses: StatusSet
    /// Do as the upstream says when it tells how long to wait.
    public var respectsRetryAfter: Bool
    /// The longest that it is waited for what the upstream says; `nil` where ``maxElapsed`` is the bound.
    public var longestWish: Duration?

    /// The rule of a configuration.
    public init(_ configuration: RetryConfiguration) {
        pauses = .growing(configuration.backoff, maxAttempts: configuration.maxAttempts)
        maxElapsed = configuration.maxElapsed
        repeatable = .methods(Set(configuration.methods.map(\.rawValue)))
        statuses = configuration.statuses
        respectsRetryAfter = configuration.respectsRetryAfter
    }

    /// The rule of messages whose receivers know one that comes twice: every status but success is worth trying again,
    /// unless it is in `final`, after these pauses; an upstream can make none longer than the longest of them.
    public init(listed pauses: [Duration], jitter: Double, final: Set<Int> = [], respectsRetryAfter: Bool = true) {
        self.pauses = .listed(pauses, jitter: jitter)
        longestWish = pauses.max()
        maxElapsed = nil
        repeatable = .all
        var ranges: [ClosedRange<Int>] = []
        var start = 100
        for status in final.sorted() where status >= start {
            if status > start { ranges.append(start...(status - 1)) }
            start = status + 1
        }
        ranges.append(start...max(start, 999))
        statuses = StatusSet(ranges)
        self.respectsRetryAfter = respectsRetryAfter
    }

    /// Decides after an attempt.
    ///
    /// - Parameters:
    ///   - attempt: What it has come to.
    ///   - random: 0 to 1: the shortest to the longest pause that the jitter allows.
    ///   - now: The time of day, in seconds since 1970-01-01T00:00:00Z, for dates that the upstream sent.
    public func decide(after attempt: EndedAttempt, random: Double, now: Int64) -> RetryDecision {
        guard let error = attempt.error, isWorthwhile(error, attempt), mayRepeat(attempt),
            var pause = pause(after: attempt.number, random: random)
        else { return .giveUp }
        if respectsRetryAfter, let asked = UpstreamWish(attempt.headers, now: now).pause {
            pause = max(pause, longestWish.map { min(asked, $0) } ?? asked)
        }
        if let maxElapsed, attempt.elapsed + pause > maxElapsed { return .giveUp }
        return .retry(after: pause)
    }

    /// Whether what has happened may pass.
    private func isWorthwhile(_ error: SessionError, _ attempt: EndedAttempt) -> Bool {
        let isListed = attempt.status.map { statuses.contains($0) } ?? false
        // What was wrong with the answer, its status tells; what was wrong with the way to it, the error.
        return switch error.domain {
        case .response: isListed
        case .transport: error.isRetryable || isListed
        case .tls, .request, .file, .policy, .gateway: error.isRetryable
        }
    }

    private func mayRepeat(_ attempt: EndedAttempt) -> Bool {
        guard attempt.mayHaveArrived, !attempt.carriesIdempotencyKey else { return true }
        return switch repeatable {
        case .all: true
        case .methods(let methods): methods.contains(attempt.method.rawValue)
        }
    }

    /// The pause after so many attempts; `nil` when they were enough.
    private func pause(after attempts: Int, random: Double) -> Duration? {
        switch pauses {
        case .growing(let backoff, let maxAttempts):
            attempts < maxAttempts ? backoff.pause(after: attempts).varied(by: backoff.jitter, random) : nil
        case .listed(let pauses, let jitter):
            pauses.indices.contains(attempts - 1) ? pauses[attempts - 1].varied(by: jitter, random) : nil
        }
    }
}

/// What becomes of a task whose attempt has ended.
public enum RetryDecision: Sendable, Hashable {
    /// It is not attempted again.
    case giveUp
    /// It is, after this pause.
    case retry(after: Duration)
}

extension RetryConfiguration.Backoff {
    /// The pause after so many attempts, at least one, before chance has its part.
    func pause(after attempts: Int) -> Duration {
        guard multiplier > 1 else { return min(initial, max) }
        var pause = initial / .seconds(1)
        let longest = max / .seconds(1)
        var growths = attempts - 1
        while growths > 0, pause > 0, pause < longest {
            pause *= multiplier
            growths -= 1
        }
        return pause < longest ? .seconds(pause) : max
    }
}

extension Duration {
    /// The duration, longer or shorter by up to a part of it.
    fileprivate func varied(by part: Double, _ random: Double) -> Duration {
        self * (1 + Swift.min(Swift.max(part, 0), 1) * (2 * Swift.min(Swift.max(random, 0), 1) - 1))
    }
}
