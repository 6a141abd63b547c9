import HTTPTypes

/// The rule that decides whether and when a task is retried.
///
/// | the attempt | is retried |
/// | --- | --- |
/// | succeeded | never |
/// | failed with a transient error (``SessionError/isRetryable``) | yes |
/// | received one of the rule's statuses | yes |
/// | received one of them with a redirect that the session does not follow | yes, except by a rule for messages |
/// | failed otherwise: canceled, past its deadline, rejected by a policy, by trust, or for its own request | never |
///
/// A request is not resent if its content can be read only once and a part of it was taken.
/// A request that may have arrived is resent only with one of the rule's methods, or with an `Idempotency-Key`; the
/// same holds for a request that hooks have made of it. A response proves that it has arrived, even 429 and 503: no
/// standard guarantees that such a request was not processed.
///
/// Pure: time and randomness are parameters.
public struct RetryRule: Sendable, Hashable {
    /// The pauses between attempts.
    public enum Pauses: Sendable, Hashable {
        /// Growing pauses, with a maximum number of attempts.
        case growing(RetryConfiguration.Backoff, maxAttempts: Int)
        /// The given pauses, one after the other, each lengthened or shortened at random by up to the given share.
        case listed([Duration], jitter: Double)
    }

    /// The requests that are resent even if they may have arrived.
    public enum Repeatable: Sendable, Hashable {
        /// Requests with these methods, and those with an `Idempotency-Key`.
        case methods(Set<String>)
        /// All requests: their receivers recognize repetitions.
        case all
    }

    /// The pauses between attempts.
    public var pauses: Pauses
    /// The maximum time from the beginning of the first attempt to that of the last; `nil` if only the pauses limit it.
    public var maxElapsed: Duration?
    /// The requests that are resent even if they may have arrived.
    public var repeatable: Repeatable
    /// The statuses after which an attempt is retried.
    public var statuses: StatusSet
    /// True if a redirect that the session does not follow is retried when ``statuses`` has its status.
    private let retriesRefusedRedirects: Bool
    /// True if the wait that the upstream asks for is respected.
    public var respectsRetryAfter: Bool
    /// The maximum wait that the upstream can cause; `nil` if only ``maxElapsed`` limits it.
    public var longestWish: Duration?

    /// Creates the rule of a configuration.
    public init(_ configuration: RetryConfiguration) {
        pauses = .growing(configuration.backoff, maxAttempts: configuration.maxAttempts)
        maxElapsed = configuration.maxElapsed
        repeatable = .methods(Set(configuration.methods.map(\.rawValue)))
        statuses = configuration.statuses
        retriesRefusedRedirects = true
        respectsRetryAfter = configuration.respectsRetryAfter
    }

    /// Creates a rule for messages whose receivers recognize repetitions, such as webhooks.
    ///
    /// Every status but success is retried, unless it is in `final`, after the given pauses. A redirect that is not
    /// followed is not retried. The upstream cannot cause a wait longer than the longest of the pauses.
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
        retriesRefusedRedirects = false
        self.respectsRetryAfter = respectsRetryAfter
    }

    /// The longest time from the beginning of the first attempt to that of the last, if the upstream asks for no longer
    /// pauses; `nil` if there is no limit.
    package var longestElapsed: Duration? {
        switch pauses {
        case .growing: maxElapsed
        case .listed(let pauses, let jitter):
            pauses.reduce(.zero) { $0 + $1.varied(by: jitter, 1) }
        }
    }

    /// Decides after an attempt.
    ///
    /// - Parameters:
    ///   - attempt: The ended attempt.
    ///   - random: 0 to 1, for the shortest to the longest pause that the jitter allows.
    ///   - now: The time of day, in seconds since 1970-01-01T00:00:00Z, for dates in the response.
    public func decide(after attempt: EndedAttempt, random: Double, now: Int64) -> RetryDecision {
        guard let error = attempt.error else { return .giveUp(nil) }
        guard isWorthwhile(error, attempt) else {
            return .giveUp(error.code == .unacceptableStatus ? .status : nil)
        }
        guard mayRepeat(attempt) else { return .giveUp(.mayHaveArrived) }
        guard var pause = pause(after: attempt.number, random: random) else { return .giveUp(.attempts) }
        if respectsRetryAfter, let asked = RateLimitHint(attempt.headers, now: now).pause {
            pause = max(pause, longestWish.map { min(asked, $0) } ?? asked)
        }
        if let maxElapsed, attempt.elapsed + pause > maxElapsed { return .giveUp(.time) }
        return .retry(after: pause)
    }

    /// Returns true if a retry may succeed.
    private func isWorthwhile(_ error: SessionError, _ attempt: EndedAttempt) -> Bool {
        let isListed = attempt.status.map { statuses.contains($0) } ?? false
        // The status tells what was wrong with a response, the error what was wrong with the transfer.
        return switch error.domain {
        case .response: isListed
        case .transport: error.isRetryable || isListed
        case .policy: error.isRetryable || error.code == .redirectRefused && retriesRefusedRedirects && isListed
        case .tls, .request, .file, .gateway: error.isRetryable
        }
    }

    private func mayRepeat(_ attempt: EndedAttempt) -> Bool {
        guard !attempt.hasSpentContent else { return false }
        guard attempt.mayHaveArrived, !attempt.carriesIdempotencyKey else { return true }
        return switch repeatable {
        case .all: true
        case .methods(let methods):
            attempt.methodsOfHooks.union([attempt.method]).allSatisfy { methods.contains($0.rawValue) }
        }
    }

    /// Returns the pause after a number of attempts; `nil` if no more are allowed.
    private func pause(after attempts: Int, random: Double) -> Duration? {
        switch pauses {
        case .growing(let backoff, let maxAttempts):
            attempts < maxAttempts ? backoff.pause(after: attempts).varied(by: backoff.jitter, random) : nil
        case .listed(let pauses, let jitter):
            pauses.indices.contains(attempts - 1) ? pauses[attempts - 1].varied(by: jitter, random) : nil
        }
    }
}

extension RetryConfiguration.Backoff {
    /// Returns the pause after a number of attempts, at least one, before jitter is applied.
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
    /// Returns the duration, lengthened or shortened at random by up to a share of it.
    fileprivate func varied(by part: Double, _ random: Double) -> Duration {
        self * (1 + Swift.min(Swift.max(part, 0), 1) * (2 * Swift.min(Swift.max(random, 0), 1) - 1))
    }
}
