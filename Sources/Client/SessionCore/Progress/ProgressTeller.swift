import ErrandLocking
import ErrandTime
import ErrandTransfer

/// The calls of the progress handler of one request, over all its attempts.
///
/// Any thread. The handler is called by one task at a time, which takes the newest report until there is none, so that
/// reports arrive in order and no queue grows. A report that comes too early is made when a timer fires, of which there
/// is at most one; none runs after the end of the attempts.
final class ProgressTeller: Sendable {
    private let handler: ProgressHandler
    /// The statuses of responses whose content counts.
    private let statuses: StatusSet
    private let time: MonotonicClock
    private let attempts: (any TaskAttempts)?
    /// Locked also while progress is read, so that the timer does not report an earlier one after a later one.
    private let state = Mutex(State())

    fileprivate struct State {
        var machine = ProgressMachine()
        /// The attempt whose progress is reported; `nil` before the first transfer, and after the end of the attempts.
        var attempt: AttemptControl?
        var timer = ReportTimer()
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

    /// Records that a transfer of an attempt begins.
    func transferDidBegin(of attempt: AttemptControl) {
        state.withLock { state in
            state.attempt = attempt
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

    /// Records that bytes are transferred, and reports them now or when the timer fires.
    func note() {
        let now = time.now
        let mustCall = state.withLock { state in
            guard state.attempt != nil else { return false }
            if state.timer.note() { startTimer(&state) }
            return reportIfDue(&state, at: now)
        }
        if mustCall { startCalling() }
    }

    /// Records that a transfer or an attempt has ended, after which another one may follow.
    ///
    /// Its bytes count from now on, and are reported as by ``note()``.
    func noteEnd() {
        let now = time.now
        let mustCall = state.withLock { state in
            guard let attempt = state.attempt else { return false }
            state.machine.transferDidEnd(progress(of: attempt), countsResponse: state.countsResponse, at: now)
            // All bytes are counted: they need the timer only if they cannot be reported now.
            if !state.machine.isDue(at: now), state.timer.note() { startTimer(&state) }
            return reportIfDue(&state, at: now)
        }
        if mustCall { startCalling() }
    }

    /// Reports the end of the last attempt, and waits until all reports are delivered.
    func attemptsDidEnd(_ control: AttemptControl, isSuccess: Bool) async {
        let now = time.now
        let mustCall = state.withLock { state in
            state.stop()
            let report = state.machine.finalReport(
                progress(of: control), countsResponse: state.countsResponse, isSuccess: isSuccess, at: now)
            return state.queue(report)
        }
        if mustCall { startCalling() }
        await untilDelivered()
    }

    /// Makes no more reports until another transfer begins.
    func stop() {
        state.withLock { $0.stop() }
    }

    /// Queues a report if one is due.
    ///
    /// - Returns: True if the caller must start to call the handler.
    private func reportIfDue(_ state: inout State, at now: ContinuousClock.Instant) -> Bool {
        guard state.machine.isDue(at: now), let attempt = state.attempt else { return false }
        let report = state.machine.report(progress(of: attempt), countsResponse: state.countsResponse, at: now)
        return state.queue(report)
    }

    private func startTimer(_ state: inout State) {
        state.timer.start(by: time.clock) { [weak self] number in self?.timeIsOver(number) }
    }

    private func timeIsOver(_ number: Int) {
        let now = time.now
        let mustCall = state.withLock { state in
            guard state.timer.didFire(number) else { return false }
            if state.timer.isNoted { startTimer(&state) }
            return reportIfDue(&state, at: now)
        }
        if mustCall { startCalling() }
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
    /// Makes no more reports of the attempt.
    fileprivate mutating func stop() {
        attempt = nil
        timer.stop()
    }

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
