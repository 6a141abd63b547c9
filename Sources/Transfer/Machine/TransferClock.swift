/// The time that a transfer has: its limit over the whole, which stands still while the transfer is suspended, and how
/// long that was.
struct TransferClock {
    private enum Limit {
        case none
        case stopped(left: Duration)
        case running(until: MonotonicInstant)
    }

    private var limit: Limit
    /// The suspensions that are over.
    private var suspended = Duration.zero
    /// When the suspension began that is not.
    private var suspendedSince: MonotonicInstant?

    /// A clock that has not been started.
    init(limit: Duration?) {
        self.limit = limit.map { .stopped(left: $0) } ?? .none
    }

    /// When the limit is reached; `nil` while it stands still, or there is none.
    var deadline: MonotonicInstant? {
        if case .running(let deadline) = limit { deadline } else { nil }
    }

    /// How long the transfer was suspended until `now`.
    func suspended(at now: MonotonicInstant) -> Duration {
        suspended + (suspendedSince?.duration(to: now) ?? .zero)
    }

    /// The transfer runs from here on.
    mutating func run(at now: MonotonicInstant) {
        if case .stopped(let left) = limit { limit = .running(until: now.advanced(by: left)) }
        suspended = suspended(at: now)
        suspendedSince = nil
    }

    /// The transfer is suspended from here on.
    mutating func stop(at now: MonotonicInstant) {
        if case .running(let deadline) = limit { limit = .stopped(left: now.duration(to: deadline)) }
        suspendedSince = suspendedSince ?? now
    }
}
