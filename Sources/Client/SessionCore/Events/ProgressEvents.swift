import ErrandLocking
import ErrandTime
import ErrandTransfer

/// The events of the progress of one attempt, at most ten times a second.
///
/// Any thread.
final class ProgressEvents: Sendable {
    private let control: AttemptControl
    private let observer: AttemptObserver
    private let time: MonotonicClock
    /// Locked also while progress is read and listeners are told: the events come in the order of the progress, and
    /// none comes from a timer after that of the end of a hop.
    private let state = Mutex(State())

    private struct State {
        /// The time of the last event that the limit counts.
        var lastTime: ContinuousClock.Instant?
        /// The progress of the last event.
        var told: TransferProgress?
        var timer = ReportTimer()
    }

    init(_ control: AttemptControl, _ observer: AttemptObserver, time: MonotonicClock) {
        self.control = control
        self.observer = observer
        self.time = time
    }

    /// Records that content is sent or received, and tells of it now or when the timer fires.
    func note() {
        let now = time.now
        state.withLock { state in
            if state.timer.note() { startTimer(&state) }
            tellIfDue(&state, at: now)
        }
    }

    /// Records that a hop has ended: tells of its progress, after which no timer runs.
    func hopDidEnd() {
        state.withLock { state in
            state.timer.stop()
            tell(&state)
        }
    }

    private func startTimer(_ state: inout State) {
        state.timer.start(by: time.clock) { [weak self] number in self?.timeIsOver(number) }
    }

    private func timeIsOver(_ number: Int) {
        let now = time.now
        state.withLock { state in
            guard state.timer.didFire(number) else { return }
            if state.timer.isNoted { startTimer(&state) }
            tellIfDue(&state, at: now)
        }
    }

    private func tellIfDue(_ state: inout State, at now: ContinuousClock.Instant) {
        if let last = state.lastTime, last.duration(to: now) < ProgressMachine.interval { return }
        if tell(&state) { state.lastTime = now }
    }

    /// Tells of the current progress, unless it was told already.
    ///
    /// - Returns: True if there was news.
    @discardableResult
    private func tell(_ state: inout State) -> Bool {
        guard observer.isHeard else { return false }
        let progress = control.progress
        guard progress != state.told else { return false }
        state.told = progress
        observer.emit(.progress(progress))
        return true
    }
}
