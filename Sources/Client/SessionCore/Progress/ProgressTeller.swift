import ErrandLocking
import ErrandTime
import ErrandTransfer

/// The calls of the progress handler of one request, over all its attempts.
///
/// Any thread; the calls for transfers come one at a time. The handler is called by one task at a time, which takes the
/// newest report until there is none, so that reports arrive in order and no queue grows.
final class ProgressTeller: Sendable {
    private let handler: ProgressHandler
    /// The statuses of responses whose content counts.
    private let statuses: StatusSet
    private let time: MonotonicClock
    private let attempts: (any TaskAttempts)?
    private let state = Mutex(State())

    fileprivate struct State {
        var machine = ProgressMachine()
        /// True if the content of the current response counts.
        var countsResponse = false
        /// The newest report, if it was not delivered yet.
        var waiting: ProgressReport?
        /// True while a task calls the handler.
        var isCalling = false
        /// The callers that wait until all reports are delivered.
        var waiters: [Continuation<Void>] = []
    }

    /// Creates the calls of a handler.
    ///
    /// - Parameters:
    ///   - handler: The handler.
    ///   - statuses: The statuses of responses whose content counts.
    ///   - time: The time for rates and intervals.
    ///   - attempts: The attempts of a task, which turn the progress of a transfer into that of their content.
    init(_ handler: ProgressHandler, statuses: StatusSet, time: MonotonicClock, attempts: (any TaskAttempts)?) {
        self.handler = handler
        self.statuses = statuses
        self.time = time
        self.attempts = attempts
    }

    // MARK: Transfers

    /// Records that a transfer begins.
    func transferDidBegin() {
        state.withLock { state in
            state.countsResponse = false
            state.machine.transferDidBegin()
        }
    }

    /// Records the head of a response.
    ///
    /// - Parameter isFollowed: True if the response is a redirect that is followed.
    func responseDidBegin(status: Int, isFollowed: Bool) {
        let counts = !isFollowed && statuses.contains(status)
        state.withLock { $0.countsResponse = counts }
    }

    /// Records that bytes were transferred, and reports them if a report is due.
    func note(_ control: AttemptControl) {
        let now = time.now
        guard state.withLock({ $0.machine.isDue(at: now) }) else { return }
        let progress = progress(of: control)
        let mustCall = state.withLock { state in
            let report = state.machine.report(progress, countsResponse: state.countsResponse, at: now)
            return state.queue(report)
        }
        if mustCall { startCalling() }
    }

    /// Reports the end of the last attempt, and waits until all reports are delivered.
    func attemptsDidEnd(_ control: AttemptControl, isSuccess: Bool) async {
        let now = time.now
        let progress = progress(of: control)
        let mustCall = state.withLock { state in
            let report = state.machine.finalReport(
                progress, countsResponse: state.countsResponse, isSuccess: isSuccess, at: now)
            return state.queue(report)
        }
        if mustCall { startCalling() }
        await untilDelivered()
    }

    private func progress(of control: AttemptControl) -> TransferProgress {
        let progress = control.progress
        return attempts?.progress(of: progress) ?? progress
    }

    // MARK: Calls

    private func startCalling() {
        Task { callHandler() }
    }

    private func callHandler() {
        while let report = state.withLock({ $0.next() }) { handler(report) }
        let waiters = state.withLock { $0.takeWaiters() }
        for waiter in waiters { waiter.resume() }
    }

    private func untilDelivered() async {
        await withContinuation { continuation in
            let isDelivered = state.withLock { state in
                if state.isCalling { state.waiters.append(continuation) }
                return !state.isCalling
            }
            if isDelivered { continuation.resume() }
        }
    }
}

extension ProgressTeller.State {
    /// Queues a report, instead of one that waits.
    ///
    /// - Returns: True if the caller must start to call the handler.
    fileprivate mutating func queue(_ report: ProgressReport?) -> Bool {
        guard let report else { return false }
        waiting = report
        defer { isCalling = true }
        return !isCalling
    }

    /// Returns the next report; `nil` at the end of the calls.
    fileprivate mutating func next() -> ProgressReport? {
        defer { waiting = nil }
        if waiting == nil { isCalling = false }
        return waiting
    }

    /// Returns the callers that wait, unless another task has begun to call the handler.
    fileprivate mutating func takeWaiters() -> [Continuation<Void>] {
        guard !isCalling else { return [] }
        defer { waiters = [] }
        return waiters
    }
}
