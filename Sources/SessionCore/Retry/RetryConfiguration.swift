public import HTTPTypes

/// When an attempt that has failed is made again, and how often.
public struct RetryConfiguration: Sendable, Hashable {
    /// The most attempts of one task, the first included: 1 for no retries.
    ///
    /// Default: 3.
    public var maxAttempts: Int
    /// How long to wait between two attempts.
    public var backoff: Backoff
    /// The longest that attempts go on after the first one began.
    ///
    /// Default: a day.
    public var maxElapsed: Duration
    /// The methods whose requests may be sent again when they may have arrived.
    ///
    /// Others are sent again only when nothing of the request was sent, or when it carries an `Idempotency-Key`.
    public var methods: [HTTPRequest.Method]
    /// The statuses after which it is worth trying again.
    public var statuses: StatusSet
    /// Do as the upstream says when it tells how long to wait (`Retry-After`, `RateLimit`), for all tasks of the session.
    public var respectsRetryAfter: Bool
    /// The share of a session's attempts that may be retries.
    public var budget: Budget
    /// What becomes of an attempt that was under way when the process ended.
    public var afterCrash: AfterCrash

    /// A pause that grows from one attempt to the next.
    public struct Backoff: Sendable, Hashable {
        /// The first pause.
        ///
        /// Default: 500 ms.
        public var initial: Duration
        /// What each pause is multiplied by for the next one, at least 1.
        ///
        /// Default: 2.
        public var multiplier: Double
        /// The longest pause.
        ///
        /// Default: an hour.
        public var max: Duration
        /// The part of a pause by which it is made longer or shorter at random, 0 to 1.
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

    /// How many retries a session may make: a share of its attempts, and a number for each second besides.
    public struct Budget: Sendable, Hashable {
        /// The retries for each first attempt.
        ///
        /// Default: 0.2.
        public var ratio: Double
        /// The retries for each second, whatever else is attempted, so that a quiet session is never starved.
        ///
        /// Default: 10.
        public var minPerSecond: Double

        /// Creates a budget.
        public init(ratio: Double = 0.2, minPerSecond: Double = 10) {
            self.ratio = ratio
            self.minPerSecond = minPerSecond
        }
    }

    /// What becomes of an attempt that was under way when the process ended.
    public enum AfterCrash: String, Sendable, Hashable, CaseIterable {
        /// It is made again when its request may be sent twice, and has failed otherwise.
        case safe
        /// It is made again, whatever it is.
        case resend
        /// It has failed.
        case fail
    }

    /// Creates the configuration; everything has its default.
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

    /// The idempotent ones (RFC 9110 §9.2.2).
    public static let defaultMethods: [HTTPRequest.Method] = [.get, .head, .put, .delete, .options, .trace]

    /// 408, 429, 500, 502, 503, 504.
    public static let defaultStatuses = StatusSet([408...408, 429...429, 500...500, 502...504])
}
