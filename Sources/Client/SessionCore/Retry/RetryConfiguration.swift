import ErrandTime
public import HTTPTypes

/// The rules for retrying failed attempts.
public struct RetryConfiguration: Sendable, Hashable {
    /// The maximum number of attempts of one task, including the first: 1 for no retries.
    ///
    /// Default: 3.
    public var maxAttempts: Int
    /// The pauses between attempts.
    public var backoff: Backoff
    /// The maximum time from the beginning of the first attempt to that of the last.
    ///
    /// Default: a day.
    public var maxElapsed: Duration
    /// The methods whose requests may be resent even if they may have arrived.
    ///
    /// Requests with other methods are resent only if no part of them was sent, or if they have an `Idempotency-Key`.
    public var methods: [HTTPRequest.Method]
    /// The statuses after which an attempt is retried, also those of redirects that the session does not follow.
    public var statuses: StatusSet
    /// True if the wait that an upstream asks for (`Retry-After`, `RateLimit`) is respected.
    public var respectsRetryAfter: Bool
    /// The limit on retries of the whole session, applied by the owner of a queue of tasks.
    package var budget: Budget
    /// The handling of an attempt that was running when the process ended, by the owner of a queue of tasks.
    package var afterCrash: AfterCrash

    /// A back-off: pauses that grow from one attempt to the next.
    public struct Backoff: Sendable, Hashable {
        /// The first pause.
        ///
        /// Default: 500 ms.
        public var initial: Duration
        /// The factor from each pause to the next, at least 1.
        ///
        /// Default: 2.
        public var multiplier: Double
        /// The longest pause before ``jitter``, which may lengthen it.
        ///
        /// A ``BackoffRetrier`` gives up if the upstream asks for a longer one. Default: an hour; a minute in
        /// ``RetryConfiguration/forCalls``.
        public var max: Duration
        /// The relative amount by which a pause is lengthened or shortened at random, 0 to 1.
        ///
        /// Default: 0.2.
        public var jitter: Double

        /// Creates a back-off.
        public init(
            initial: Duration = .milliseconds(500), multiplier: Double = 2, max: Duration = .seconds(3600),
            jitter: Double = 0.2
        ) {
            self.initial = initial
            self.multiplier = multiplier
            self.max = max
            self.jitter = jitter
        }
    }

    /// The limit on retries of a session: a share of its attempts, plus a number per second.
    package struct Budget: Sendable, Hashable {
        /// The number of retries for each first attempt.
        ///
        /// Default: 0.2.
        package var ratio: Double
        /// The number of retries per second that are always allowed, so that a session with few attempts can retry too.
        ///
        /// Default: 10.
        package var minPerSecond: Double

        /// Creates a budget.
        package init(ratio: Double = 0.2, minPerSecond: Double = 10) {
            self.ratio = ratio
            self.minPerSecond = minPerSecond
        }
    }

    /// The handling of an attempt that was running when the process ended; the last of ``maxAttempts`` always fails.
    package enum AfterCrash: String, Sendable, Hashable, CaseIterable {
        /// It is repeated if its request may be sent twice, and fails otherwise.
        case safe
        /// It is repeated.
        case resend
        /// It fails.
        case fail
    }

    /// Creates a configuration with defaults.
    public init() {
        maxAttempts = 3
        backoff = Backoff()
        maxElapsed = .seconds(86_400)
        methods = Self.defaultMethods
        statuses = Self.defaultStatuses
        respectsRetryAfter = true
        budget = Budget()
        afterCrash = .safe
    }

    /// The default of ``methods``: the idempotent ones (RFC 9110 §9.2.2).
    public static let defaultMethods: [HTTPRequest.Method] = [.get, .head, .put, .delete, .options, .trace]

    /// The default of ``statuses``: 408, 429, 500, 502, 503, 504.
    public static let defaultStatuses = StatusSet([408...408, 429...429, 500...500, 502...504])
}

extension RetryConfiguration {
    /// The configuration of ``RequestRetrier/backoff(_:)``: the defaults, but pauses of at most a minute, because a
    /// caller waits for the response.
    public static let forCalls: RetryConfiguration = {
        var configuration = RetryConfiguration()
        configuration.backoff.max = .seconds(60)
        return configuration
    }()
}

/// The valid ranges of retry settings, for all places where they can be set.
extension RetryConfiguration {
    /// The range of ``maxAttempts``.
    public static let maxAttemptsRange = 1...1000
    /// The range of ``maxElapsed``: up to a year.
    public static let maxElapsedRange: ClosedRange<Duration> = .milliseconds(1)...(.seconds(365 * 86_400))
}

extension RetryConfiguration.Backoff {
    /// The range of ``initial``: up to a day.
    public static let initialRange: ClosedRange<Duration> = .milliseconds(1)...(.seconds(86_400))
    /// The range of ``multiplier``.
    public static let multiplierRange: ClosedRange<Double> = 1...100
    /// The range of ``max``: up to 31 days.
    public static let maxRange: ClosedRange<Duration> = .milliseconds(1)...(.seconds(31 * 86_400))
    /// The range of ``jitter``.
    public static let jitterRange: ClosedRange<Double> = 0...1

    /// The message for an ``initial`` above ``max``, which would have no effect.
    package var initialExcess: String { "expected at most backoff.max (\(max.shortText)); raise backoff.max" }

    /// The message for a ``max`` below ``initial``, which would have no effect.
    package var maxDeficit: String {
        "expected at least backoff.initial (\(initial.shortText)); lower backoff.initial"
    }
}

extension RetryConfiguration.Budget {
    /// The range of ``minPerSecond``: from one retry in a thousand seconds.
    package static let minPerSecondRange: ClosedRange<Double> = 0.001...1_000_000
}
