/// The total timeout of a transfer, which does not run while it is suspended, and the time spent suspended.
struct TransferClock {
    private enum Limit {
        case none
        case stopped(left: Duration)
        case running(until: MonotonicInstant)
    }

    private var limit: Limit
    /// The total time of past suspensions.
    private var suspended = Duration.zero
    /// The start of the current suspension.
    private var suspendedSince: MonotonicInstant?

    /// Creates a clock that has not been started.
    init(limit: Duration?) {
        self.limit = limit.map { .stopped(left: $0) } ?? .none
    }

    /// The time at which the timeout is reached; `nil` while it does not run, or if there is none.
    var deadline: MonotonicInstant? {
        if case .running(let deadline) = limit { deadline } else { nil }
    }

    /// Returns the time that the transfer was suspended until `now`.
    func suspended(at now: MonotonicInstant) -> Duration {
        suspended + (suspendedSince?.duration(to: now) ?? .zero)
    }

    /// Starts or resumes the clock.
    mutating func run(at now: MonotonicInstant) {
        if case .stopped(let left) = limit { limit = .running(until: now.advanced(by: left)) }
        suspended = suspended(at: now)
        suspendedSince = nil
    }

    /// Suspends the clock.
    mutating func stop(at now: MonotonicInstant) {
        if case .running(let deadline) = limit { limit = .stopped(left: now.duration(to: deadline)) }
        suspendedSince = suspendedSince ?? now
    }
}
