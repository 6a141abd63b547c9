import ErrandTime

/// Work of the program that an attempt waits for, with a time limit that does not run while the attempt is suspended.
///
/// A value that its owner keeps under a lock.
struct AwaitedWork {
    /// Cancels the work.
    let cancel: @Sendable () -> Void
    private let limit: Duration?
    private let time: MonotonicClock
    /// The time without suspensions, up to ``since``.
    private var before = Duration.zero
    /// The time since which the limit runs; `nil` while the attempt is suspended.
    private var since: ContinuousClock.Instant?
    private var timer: Task<Void, Never>?

    /// Creates work whose limit does not run yet.
    ///
    /// - Parameters:
    ///   - limit: The time after which the work is canceled; `nil` for none.
    ///   - time: The time by which the limit runs.
    ///   - cancel: Cancels the work; called at most once for the limit.
    init(limit: Duration?, by time: MonotonicClock, cancel: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.time = time
        self.cancel = cancel
    }

    /// The duration of the work so far, without that of suspensions.
    var active: Duration {
        before + (since?.duration(to: time.now) ?? .zero)
    }

    /// Lets the limit run.
    mutating func run() {
        guard since == nil else { return }
        since = time.now
        timer = limit.map { time.clock.timer(after: max($0 - before, .zero), cancel) }
    }

    /// Stops the limit, until ``run()`` or for ever.
    mutating func pause() {
        before = active
        since = nil
        timer?.cancel()
        timer = nil
    }
}
