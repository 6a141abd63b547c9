import ErrandLocking
import ErrandTime

import struct Synchronization.Atomic
import struct Synchronization.AtomicLazyReference

/// The pacing of one direction of an attempt, by the attempt's own rate and the session's.
///
/// Any thread. Actions of the ``PacingMachine`` are performed after its lock is released.
final class PacedDirection: Sendable {
    private struct State {
        var machine = PacingMachine()
        var time = MonotonicClock.system
        /// True if ``time`` is that of the session.
        var isConfigured = false
        var timer: Task<Void, Never>?
        /// Resumes the transfer.
        var resumeTransfer: (@Sendable () -> Void)?

        /// True if bytes may have to wait, besides for the session's rate.
        var isLimited: Bool { machine.hasOwnPace || machine.isPaused }
    }

    private let state = Mutex(State())
    /// The last ``State/isLimited``, read for each piece of content so that one without a limit takes no lock.
    private let limited = Atomic<Bool>(false)
    /// The session's rate, set once.
    private let shared = AtomicLazyReference<SharedPace>()

    /// Sets the session's rate, and the time for both rates; to be called before the first transfer.
    ///
    /// Further calls, for the next requests of the attempt, have no effect.
    func configure(_ pace: SharedPace, time: MonotonicClock) {
        _ = shared.storeIfNil(pace)
        state.withLock { state in
            guard !state.isConfigured else { return }
            state.isConfigured = true
            state.time = time
            state.machine.begin(at: time.now)
        }
    }

    /// True if bytes may have to wait.
    var isLimited: Bool { limited.load(ordering: .relaxed) || shared.load()?.isLimited == true }

    /// Records that a transfer begins; `resumeTransfer` resumes it after a wait.
    func begin(_ resumeTransfer: @escaping @Sendable () -> Void) {
        perform { state in
            state.resumeTransfer = resumeTransfer
            return state.machine.stop()
        }
    }

    /// Records that the transfer has ended: the timer is canceled, and `resumeTransfer` is no longer called.
    func stop() {
        perform { state in
            state.resumeTransfer = nil
            return state.machine.stop()
        }
    }

    /// Counts transferred bytes.
    func count(_ bytes: Int) {
        guard isLimited else { return }
        state.withLock { $0.machine.count(bytes, at: $0.time.now) }
        shared.load()?.spend(bytes)
    }

    /// Counts transferred bytes.
    ///
    /// - Returns: True if the next bytes must wait until the closure given to ``begin(_:)`` is called.
    func didMove(_ bytes: Int) -> Bool {
        guard isLimited else { return false }
        count(bytes)
        let others = sharedWait
        return perform { $0.machine.didMove(others: others, at: $0.time.now) }
    }

    /// Records that bytes are about to be transferred.
    ///
    /// - Returns: True if they must wait until the closure given to ``begin(_:)`` is called.
    func willMove() -> Bool {
        guard isLimited else { return false }
        let others = sharedWait
        return perform { $0.machine.willMove(others: others, at: $0.time.now) }
    }

    /// Records that the attempt is suspended.
    func suspend() {
        perform { $0.machine.suspend() }
    }

    /// Records that the attempt is resumed.
    func resume() {
        let others = sharedWait
        perform { $0.machine.resume(others: others, at: $0.time.now) }
    }

    /// Sets the attempt's own rate; `nil` for none.
    func setPace(_ bytesPerSecond: Int64?) {
        let others = sharedWait
        perform { $0.machine.setPace(bytesPerSecond, others: others, at: $0.time.now) }
    }

    private var sharedWait: Duration {
        shared.load()?.wait ?? .zero
    }

    /// Performs the action of a decision.
    ///
    /// - Returns: True if bytes must wait.
    @discardableResult
    private func perform(_ decide: (inout State) -> PacingMachine.Action) -> Bool {
        let (action, isPaused, timer, resumeTransfer, clock) = state.withLock { state in
            let action = decide(&state)
            limited.store(state.isLimited, ordering: .relaxed)
            var timer: Task<Void, Never>?
            if action != .none {
                timer = state.timer
                state.timer = nil
            }
            return (action, state.machine.isPaused, timer, state.resumeTransfer, state.time.clock)
        }
        timer?.cancel()
        switch action {
        case .none, .stopTimer: break
        case .wait(let duration, let number): wait(duration, number: number, by: clock)
        case .resumeTransfer: resumeTransfer?()
        }
        return isPaused
    }

    private func wait(_ duration: Duration, number: Int, by clock: any Clock<Duration>) {
        let timer = clock.timer(after: duration) { [weak self] in
            self?.timeIsOver(number)
        }
        let isWanted = state.withLock { state in
            guard state.machine.isWaiting(number: number) else { return false }
            state.timer = timer
            return true
        }
        if !isWanted { timer.cancel() }
    }

    private func timeIsOver(_ number: Int) {
        let others = sharedWait
        perform { $0.machine.timeIsOver(number: number, others: others, at: $0.time.now) }
    }
}
