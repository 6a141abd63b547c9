/// A schedule for waiting tasks to try again, one after the other.
///
/// The tries of the ``near`` future are ``spacing`` apart. Those behind it are farther apart, so that a long queue
/// causes a limited number of tries a second, however many tasks wait: each try without success is a change that is
/// stored.
///
/// A value without a clock, and without a list: it stores only the last time it returned.
struct LookAgainQueue: Sendable, Hashable {
    /// The time between two tries in the near future.
    static let spacing = Duration.milliseconds(1)
    /// The usual time between two tries behind it.
    static let wideSpacing = Duration.milliseconds(5)
    /// The length of the near future, from the present or from a known time.
    static let near = Duration.seconds(30)

    private var last: ContinuousClock.Instant?
    /// The time at which it last began again.
    private var restarted: ContinuousClock.Instant?

    /// Returns the delay of the next task.
    ///
    /// - Parameters:
    ///   - now: The present.
    ///   - earliest: The minimum delay; limited to ``near``.
    ///   - wideSpacing: The time between two tries behind the near future.
    mutating func next(
        at now: ContinuousClock.Instant, notBefore earliest: Duration,
        wideSpacing: Duration = LookAgainQueue.wideSpacing
    ) -> Duration {
        let first = now.advanced(by: min(max(earliest, Self.spacing), Self.near))
        let moment = moment(from: first, wideFrom: now.advanced(by: Self.near), wideSpacing)
        return now.duration(to: moment)
    }

    /// Returns the delay of the next task that cannot start before `end`, however late that is.
    mutating func next(at now: ContinuousClock.Instant, notBefore end: ContinuousClock.Instant) -> Duration {
        let first = max(end, now.advanced(by: Self.spacing))
        let moment = moment(from: first, wideFrom: first.advanced(by: Self.near), Self.wideSpacing)
        return now.duration(to: moment)
    }

    /// Begins again near the present if the queue is long, as what the tasks wait for works again.
    ///
    /// The tasks that have got a time keep it; later ones do not wait behind them. At most once in the length of the
    /// near future, so that only a few of these rows of tries overlap.
    mutating func restart(at now: ContinuousClock.Instant) {
        guard let last, last > now.advanced(by: Self.near),
            restarted.map({ $0.advanced(by: Self.near) <= now }) ?? true
        else { return }
        self.last = nil
        restarted = now
    }

    /// Returns the time of the next task.
    private mutating func moment(
        from first: ContinuousClock.Instant, wideFrom end: ContinuousClock.Instant, _ wideSpacing: Duration
    ) -> ContinuousClock.Instant {
        let following = last.map { $0.advanced(by: $0 < end ? Self.spacing : wideSpacing) }
        let moment = max(first, following ?? first)
        last = moment
        return moment
    }
}
