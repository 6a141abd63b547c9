import ErrandLocking
import ErrandTaskEvents

/// One reload of the configuration, and the callers that wait for its outcome.
///
/// Any thread.
final class ReloadRun: Sendable {
    private struct State {
        /// `nil` until the reload has ended.
        var outcome: ReloadOutcome?
        /// The callers that wait, by their numbers.
        var waiting: [UInt64: Continuation<ReloadOutcome>] = [:]
        var lastCaller: UInt64 = 0
        /// True once a caller has given up.
        var isOverdue = false
    }

    private let state = Mutex(State())
    private let onOverdue: @Sendable () -> Void

    /// Creates a reload that has not ended.
    ///
    /// - Parameter onOverdue: Called when the first caller gives up, before it has its outcome. Any thread.
    init(onOverdue: @escaping @Sendable () -> Void) {
        self.onOverdue = onOverdue
    }

    /// Records the end of the reload, which ends all waits; without effect after the first time.
    func end(with outcome: ReloadOutcome) {
        let waiting = state.withLock { state -> [Continuation<ReloadOutcome>] in
            guard state.outcome == nil else { return [] }
            state.outcome = outcome
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(returning: outcome) }
    }

    /// Waits for the end of the reload.
    ///
    /// - Parameters:
    ///   - patience: The longest wait; after it the outcome is ``ReloadOutcome/underWay``.
    ///   - timer: Measures the wait.
    func outcome(within patience: Duration, by timer: SharedTimer) async -> ReloadOutcome {
        var alarm: SharedTimer.Token?
        let outcome: ReloadOutcome = await withContinuation { continuation in
            guard let caller = admit(continuation) else { return }
            alarm = timer.set(after: patience, grain: .milliseconds(100)) { [weak self] in self?.giveUp(caller) }
        }
        if let alarm { timer.cancel(alarm) }
        return outcome
    }

    /// Registers a caller.
    ///
    /// - Returns: Its number; `nil` if the reload has ended, and the caller has the outcome already.
    private func admit(_ continuation: Continuation<ReloadOutcome>) -> UInt64? {
        let (caller, outcome) = state.withLock { state -> (UInt64?, ReloadOutcome?) in
            if let outcome = state.outcome { return (nil, outcome) }
            state.lastCaller += 1
            state.waiting[state.lastCaller] = continuation
            return (state.lastCaller, nil)
        }
        if let outcome { continuation.resume(returning: outcome) }
        return caller
    }

    private func giveUp(_ caller: UInt64) {
        let (continuation, isFirst) = state.withLock { state -> (Continuation<ReloadOutcome>?, Bool) in
            guard let continuation = state.waiting.removeValue(forKey: caller) else { return (nil, false) }
            defer { state.isOverdue = true }
            return (continuation, !state.isOverdue)
        }
        if isFirst { onOverdue() }
        continuation?.resume(returning: .underWay)
    }
}
