import Locking

/// One direction of an attempt, at its own pace and its session's.
///
/// Any thread. What the ``PacingMachine`` decides is done after its lock is left.
final class PacedDirection: Sendable {
    private struct State {
        var machine = PacingMachine()
        var shared: SharedPace?
        var now: @Sendable () -> ContinuousClock.Instant = { .now }
        var clock: any Clock<Duration> = ContinuousClock()
        var timer: Task<Void, Never>?
        /// Lets the transfer go on.
        var goOn: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The session's pace, and the clock that both are measured by.
    func configure(
        _ shared: SharedPace?, clock: any Clock<Duration>, now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        state.withLock { state in
            state.shared = shared
            state.clock = clock
            state.now = now
        }
    }

    /// Whether bytes may have to wait.
    var isLimited: Bool {
        state.withLock { $0.shared != nil || $0.machine.hasOwnPace || $0.machine.isPaused }
    }

    /// A transfer begins; `goOn` lets it move bytes again after it had to wait.
    func begin(_ goOn: @escaping @Sendable () -> Void) {
        perform { state in
            state.goOn = goOn
            return state.machine.stop()
        }
    }

    /// The transfer has ended: no timer is left, and nothing is told any more.
    func stop() {
        perform { state in
            state.goOn = nil
            return state.machine.stop()
        }
    }

    /// Counts bytes that have moved.
    func count(_ bytes: Int) {
        state.withLock { state in
            state.machine.count(bytes, at: state.now())
            return state.shared
        }?.spend(bytes)
    }

    /// Counts bytes that have moved.
    ///
    /// - Returns: Whether the next have to wait; what was given to ``begin(_:)`` is called when they need not any more.
    func didMove(_ bytes: Int) -> Bool {
        guard isLimited else { return false }
        count(bytes)
        let others = sharedWait
        return perform { $0.machine.didMove(others: others, at: $0.now()) }
    }

    /// Whether bytes that are about to move have to wait, until what was given to ``begin(_:)`` is called.
    func mustWait() -> Bool {
        guard isLimited else { return false }
        let others = sharedWait
        return perform { $0.machine.willMove(others: others, at: $0.now()) }
    }

    /// The attempt stands still.
    func suspend() {
        perform { $0.machine.suspend() }
    }

    /// The attempt goes on.
    func resume() {
        let others = sharedWait
        perform { $0.machine.resume(others: others, at: $0.now()) }
    }

    /// Gives it a pace of its own; `nil` for none.
    func setPace(_ bytesPerSecond: Int64?) {
        let others = sharedWait
        perform { $0.machine.setPace(bytesPerSecond, others: others, at: $0.now()) }
    }

    private var sharedWait: Duration {
        state.withLock { $0.shared }?.wait ?? .zero
    }

    /// Does what a decision says.
    ///
    /// - Returns: Whether bytes have to wait.
    @discardableResult
    private func perform(_ decide: (inout State) -> PacingMachine.Action) -> Bool {
        let (action, isPaused, timer, goOn, clock) = state.withLock { state in
            let action = decide(&state)
            var timer: Task<Void, Never>?
            if action != .none {
                timer = state.timer
                state.timer = nil
            }
            return (action, state.machine.isPaused, timer, state.goOn, state.clock)
        }
        timer?.cancel()
        switch action {
        case .none, .stopTimer: break
        case .wait(let duration, let number): wait(duration, number, clock)
        case .goOn: goOn?()
        }
        return isPaused
    }

    private func wait(_ duration: Duration, _ number: Int, _ clock: any Clock<Duration>) {
        let timer = clock.alarm(after: duration) { [weak self] in
            self?.perform { $0.machine.timeIsOver(number: number) }
        }
        let isWanted = state.withLock { state in
            guard state.machine.isWaiting(number: number) else { return false }
            state.timer = timer
            return true
        }
        if !isWanted { timer.cancel() }
    }
}
