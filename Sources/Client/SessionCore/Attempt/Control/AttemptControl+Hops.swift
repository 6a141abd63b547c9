import ErrandLocking
import ErrandTime
package import ErrandTransfer

// The calls of the attempt itself: its hops, its waits and its work between them.

extension AttemptControl {
    /// Sets the time that a suspended hop keeps its connection.
    func keepSuspended(for duration: Duration?, clock: any Clock<Duration>) {
        state.withLock { state in
            state.keep = duration
            state.clock = clock
        }
    }

    /// The error with which the owner canceled the attempt; `nil` if it was not canceled.
    package var canceled: SessionError? {
        state.withLock { $0.canceled }
    }

    /// The destination of the content; `nil` before the attempt and after its end.
    package var sink: (any BodySink)? {
        state.withLock { $0.sink }
    }

    /// Records that the attempt begins or ends.
    ///
    /// A sink keeps its transfer's closure, which keeps this control: so it is released at the end.
    func receive(into sink: (any BodySink)?) {
        state.withLock { $0.sink = sink }
    }

    // MARK: Before a hop

    /// Waits while the attempt is suspended, at most for the time that a suspended hop keeps its connection.
    ///
    /// - Returns: True if the next hop may begin; false if the attempt was suspended for too long.
    func untilResumed() async -> Bool {
        let (mustWait, keep, clock) = state.withLock { state in
            state.suspension.willWait()
            return (state.suspension.mustWait, state.keep, state.clock)
        }
        guard mustWait else { return true }
        let timer = keep.map { clock.timer(after: $0) { [weak self] in self?.giveUpWaiting() } }
        defer { timer?.cancel() }
        await withTaskCancellationHandler {
            await withContinuation { continuation in
                let goesOn = state.withLock { state in
                    guard state.suspension.mustWait, state.canceled == nil, !Task.isCancelled else { return true }
                    state.waiter = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.takeWaiter() }?.resume()
        }
        return state.withLock { !$0.suspension.hasWaitedTooLong }
    }

    private func giveUpWaiting() {
        let waiter = state.withLock { state -> Continuation<Void>? in
            state.suspension.waitIsOver() == .endWait ? state.takeWaiter() : nil
        }
        waiter?.resume()
    }

    /// Performs work that precedes the next hop and may have to wait.
    ///
    /// The work is canceled by ``cancel(_:)``, by cancellation of the calling task, and when `limit` has passed. The
    /// time for which the attempt is suspended does not count.
    ///
    /// - Returns: The value of the work, and its duration without that of suspensions.
    func awaitWork<Value: Sendable>(
        within limit: Duration?, by time: MonotonicClock, _ work: @escaping @Sendable () async -> Value
    ) async -> (value: Value, active: Duration) {
        let task = Task { await work() }
        let isCanceled = state.withLock { state in
            var work = AwaitedWork(limit: limit, by: time) { task.cancel() }
            if !state.suspension.isSuspended { work.run() }
            state.work = work
            return state.canceled != nil
        }
        if isCanceled { task.cancel() }
        let value = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        let active = state.withLock { state in
            defer { state.work = nil }
            state.work?.pause()
            return state.work?.active ?? .zero
        }
        return (value, active)
    }

    // MARK: During a hop

    /// The URL of the current hop, or of the last one; `nil` before the first.
    var url: HTTPURL? {
        state.withLock { $0.hop.url }
    }

    /// Records that a hop has begun.
    func adopt(_ transfer: any TransferControl, of url: HTTPURL? = nil) {
        let (isCanceled, mustDrain) = state.withLock { state in
            state.hop.begin(transfer, of: url)
            let action = state.suspension.hopDidBegin()
            guard state.canceled == nil else { return (true, false) }
            guard case .suspend(let number) = action else { return (false, false) }
            return (false, state.suspendHop(number))
        }
        if isCanceled { transfer.cancel() }
        if mustDrain { drainActions() }
    }

    /// Closes the connection of the current hop, which its sink has no use for any longer.
    ///
    /// Unlike ``cancel(_:)``, this says nothing about the attempt: its outcome is a transfer that was canceled.
    func cancelTransfer() {
        state.withLock { $0.hop.transfer }?.cancel()
    }

    /// Tells the transfer that the sink of the current hop has room again.
    func resumeReceiving() {
        state.withLock { $0.hop.transfer }?.resumeReceiving()
    }

    /// Records that a hop has ended.
    ///
    /// - Returns: The effect that suspension had on it.
    func hopDidEnd() -> SuspensionMachine.Effect {
        receiving.stop()
        sending.stop()
        let (effect, ended) = state.withLock { state in (state.suspension.hopDidEnd(), state.hop.end()) }
        ended.expiry?.cancel()
        return effect
    }
}
