/// The timer after which progress is read again: a value that its owner keeps under a lock.
///
/// With it, a limit on reports delays the newest progress and does not drop it: a change that is too early for a report
/// starts the timer, and so does one that is reported, because a transport may count bytes only after it has told of
/// them. At most one timer runs; if progress changes while it runs, another one follows.
struct ReportTimer: Sendable {
    private var task: Task<Void, Never>?
    /// The number of the last timer.
    private var number = 0
    /// True if progress has changed while the timer ran, so that another one has to follow.
    private(set) var isNoted = false

    /// Records that progress changes.
    ///
    /// - Returns: True if the timer has to be started.
    mutating func note() -> Bool {
        isNoted = task != nil
        return task == nil
    }

    /// Starts the timer, which must not run.
    ///
    /// - Parameters:
    ///   - clock: The clock by which it runs.
    ///   - action: Called with the number of the timer when it fires.
    mutating func start(by clock: any Clock<Duration>, _ action: @escaping @Sendable (Int) -> Void) {
        number += 1
        isNoted = false
        let started = number
        task = clock.timer(after: ProgressMachine.interval) { action(started) }
    }

    /// Records that the timer with a number has fired.
    ///
    /// - Returns: False if it was stopped, so that nothing is to be done.
    mutating func didFire(_ number: Int) -> Bool {
        guard task != nil, number == self.number else { return false }
        task = nil
        return true
    }

    /// Stops the timer, if it runs.
    mutating func stop() {
        task?.cancel()
        task = nil
        isNoted = false
    }
}
