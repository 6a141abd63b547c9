import ErrandLocking
import ErrandTime
public import ErrandTransfer

/// The control of one attempt: the operations that its owner may call while it runs, at any hop.
///
/// Created before the attempt, which receives it. Any thread; calls before the attempt begins apply to it, and calls
/// after its end do nothing. The transfer is told in the order of the calls, whatever threads they come from.
public final class AttemptControl: Sendable {
    private let state: Mutex<State>
    /// The pacing of received bytes.
    let receiving = PacedDirection()
    /// The pacing of sent bytes.
    let sending = PacedDirection()
    /// Locked while the rate is divided, so that an earlier division does not replace a later one.
    private let division = Mutex(())

    private struct State {
        var isSuspended = false
        /// The beginning of the current suspension.
        var suspendedSince: ContinuousClock.Instant?
        /// The duration of the earlier suspensions.
        var suspendedBefore = Duration.zero
        var canceled: SessionError?
        /// The transfer of the current hop.
        var transfer: (any TransferControl)?
        /// The URL of the current hop, or of the last one.
        var url: HTTPURL?
        /// The queue of actions that the transfers have not performed yet.
        var actions = DrainQueue<Action>()
        /// The number of the last suspension of a hop.
        var lastSuspension = 0
        /// True if the current hop was suspended at some time.
        var wasSuspended = false
        /// True if the current hop was ended because it was suspended for too long.
        var isExpired = false
        /// The timer that ends a hop suspended for too long.
        var expiry: Task<Void, Never>?
        /// The continuation of the next hop, which waits to be resumed.
        var waiter: Continuation<Void>?
        /// True if the next hop was suspended for longer than ``keep``.
        var hasWaitedTooLong = false
        /// The destination of the content, while the attempt runs.
        var sink: (any BodySink)?
        /// Other work, which precedes the next hop.
        var work: AwaitedWork?
        var progress = TransferProgress()
        /// Returns the progress that is shown, from that of a transfer; `nil` if it is the same.
        var shown: (@Sendable (TransferProgress) -> TransferProgress)?
        /// The progress that ``shown`` returned last; `nil` until ``keepShownProgress()``.
        var lastShown: TransferProgress?
        /// The controls of further requests of the attempt.
        var attached: [AttemptControl] = []
        /// The number of bytes that further requests have received and that have ended.
        var attachedBytes: Int64 = 0
        /// The maximum rate of all requests of the attempt together; `nil` for none.
        var pace: Int64?
        /// The time that a suspended hop keeps its connection; `nil` for no limit.
        var keep: Duration?
        var clock: any Clock<Duration> = ContinuousClock()

        /// Suspends the transfer; returns as ``DrainQueue/append(_:)``.
        mutating func suspend(_ transfer: any TransferControl) -> Bool {
            wasSuspended = true
            lastSuspension += 1
            return actions.append(.suspend(transfer, number: lastSuspension))
        }

        /// Tells the further requests; returns as ``DrainQueue/append(_:)``.
        mutating func tellAttached(_ action: (AttemptControl) -> Action) -> Bool {
            actions.append(contentsOf: attached.map(action))
        }
    }

    /// An operation on a transfer.
    private enum Action: Sendable {
        case suspend(any TransferControl, number: Int)
        /// Resumes the pacing too, which a hop that ended during its suspension has left suspended.
        case resume((any TransferControl)?)
        case suspendAttached(AttemptControl)
        case resumeAttached(AttemptControl)
    }

    /// Creates the control of an attempt that has not begun.
    public convenience init() {
        self.init(isSuspended: false)
    }

    /// Creates the control of an attempt that has not begun, and that waits to be resumed if it is suspended.
    init(isSuspended: Bool) {
        var first = State()
        first.isSuspended = isSuspended
        first.suspendedSince = isSuspended ? .now : nil
        state = Mutex(first)
    }

    // MARK: For the owner

    /// Stops reading and writing until ``resume()``; timeouts do not run meanwhile.
    ///
    /// - Returns: True if the attempt was not suspended before.
    @discardableResult
    public func suspend() -> Bool {
        let (isNews, mayPerform) = state.withLock { state in
            guard !state.isSuspended else { return (false, false) }
            state.isSuspended = true
            state.suspendedSince = .now
            state.work?.pause()
            let mayPerform = state.transfer.map { state.suspend($0) } ?? false
            return (true, state.tellAttached { .suspendAttached($0) } || mayPerform)
        }
        if mayPerform { perform() }
        return isNews
    }

    /// Resumes after ``suspend()``.
    ///
    /// - Returns: True if the attempt was suspended before.
    @discardableResult
    public func resume() -> Bool {
        let (isNews, mayPerform, expiry, waiter) = state.withLock { state in
            let isNews = state.isSuspended
            state.isSuspended = false
            state.work?.run()
            if let since = state.suspendedSince { state.suspendedBefore += since.duration(to: .now) }
            state.suspendedSince = nil
            defer {
                state.expiry = nil
                state.waiter = nil
            }
            var mayPerform = isNews ? state.actions.append(.resume(state.transfer)) : false
            if isNews, state.tellAttached({ .resumeAttached($0) }) { mayPerform = true }
            return (isNews, mayPerform, state.expiry, state.waiter)
        }
        expiry?.cancel()
        waiter?.resume()
        if mayPerform { perform() }
        return isNews
    }

    /// Cancels the attempt with an error: the connection is closed at once.
    public func cancel(_ error: SessionError = .canceled) {
        let (transfer, waiter, cancelWork, attached) = state.withLock { state in
            state.canceled = state.canceled ?? error
            defer { state.waiter = nil }
            return (state.transfer, state.waiter, state.work?.cancel, state.attached)
        }
        waiter?.resume()
        cancelWork?()
        transfer?.cancel()
        for control in attached { control.cancel(error) }
    }

    /// Sets the maximum rate of the attempt in each direction, in bytes per second; `nil` for no limit but the
    /// session's.
    ///
    /// Takes effect at once, except for content that is sent from memory: there it takes effect with the next request.
    public func setBytesPerSecond(_ bytesPerSecond: Int64?) {
        state.withLock { $0.pace = bytesPerSecond }
        dividePace()
    }

    /// True if the attempt is suspended.
    public var isSuspended: Bool {
        state.withLock { $0.isSuspended }
    }

    /// The progress of the current hop, or of the last one.
    public var progress: TransferProgress {
        let (last, shown) = state.withLock { ($0.lastShown, $0.shown) }
        if let last { return last }
        let progress = transferProgress
        return shown?(progress) ?? progress
    }

    /// The progress of the transfer of the current hop, or of the last one, whatever ``showProgress(_:)`` shows.
    ///
    /// With further requests, the bytes are those of all of them, whose total is unknown.
    package var transferProgress: TransferProgress {
        let (transfer, last, attached, ended) = state.withLock {
            ($0.transfer, $0.progress, $0.attached, $0.attachedBytes)
        }
        var progress = transfer?.progress ?? last
        guard ended > 0 || !attached.isEmpty else { return progress }
        let further = attached.reduce(ended) { $0 + $1.progress.received }
        (progress.receiveTotal, progress.receiveTotalOnWire) = (nil, nil)
        progress.received += further
        progress.receivedOnWire += further
        return progress
    }

    /// Shows the progress of more than the current transfer, as of a resumed download.
    package func showProgress(_ shown: @escaping @Sendable (TransferProgress) -> TransferProgress) {
        state.withLock { $0.shown = shown }
    }

    /// Keeps the progress as it is shown now, and releases the closure of ``showProgress(_:)``, after the last request.
    package func keepShownProgress() {
        let progress = progress
        state.withLock { state in
            state.lastShown = progress
            state.shown = nil
        }
    }

    private func perform() {
        while let action = state.withLock({ $0.actions.next() }) {
            switch action {
            case .suspend(let transfer, let number):
                transfer.suspend()
                receiving.suspend()
                sending.suspend()
                watchSuspension(number)
            case .resume(let transfer):
                receiving.resume()
                sending.resume()
                transfer?.resume()
            case .suspendAttached(let control):
                control.suspend()
            case .resumeAttached(let control):
                control.resume()
            }
        }
    }
}

// MARK: - Further requests

extension AttemptControl {
    /// Applies the calls of the owner to a further request of the attempt too, from now on, and the state that they led
    /// to.
    func attach(_ control: AttemptControl) {
        let (canceled, pace, mayPerform) = state.withLock { state in
            state.attached.append(control)
            let mayPerform = state.isSuspended ? state.actions.append(.suspendAttached(control)) : false
            return (state.canceled, state.pace, mayPerform)
        }
        if let canceled { control.cancel(canceled) }
        if mayPerform { perform() }
        if pace != nil { dividePace() }
    }

    /// Forgets a further request, which has ended.
    func detach(_ control: AttemptControl) {
        let received = control.progress.received
        let pace = state.withLock { state in
            state.attached.removeAll { $0 === control }
            state.attachedBytes += received
            return state.pace
        }
        if pace != nil { dividePace() }
    }

    /// The duration for which the attempt was suspended.
    var suspendedTime: Duration {
        state.withLock { $0.suspendedBefore + ($0.suspendedSince?.duration(to: .now) ?? .zero) }
    }

    /// Gives each request of the attempt an equal share of its rate.
    private func dividePace() {
        division.withLock { _ in
            let (pace, attached, isTransferring) = state.withLock { ($0.pace, $0.attached, $0.transfer != nil) }
            let count = Int64(attached.count) + (isTransferring || attached.isEmpty ? 1 : 0)
            let share = pace.map { max($0 / count, 1) }
            receiving.setPace(share)
            sending.setPace(share)
            for control in attached { control.setBytesPerSecond(share) }
        }
    }
}

// MARK: - For the attempt

extension AttemptControl {
    /// Sets the time that a suspended hop keeps its connection.
    func keepSuspended(for duration: Duration?, clock: any Clock<Duration>) {
        state.withLock { state in
            state.keep = duration
            state.clock = clock
        }
    }

    /// The error with which the owner cancelled the attempt; `nil` if it was not cancelled.
    package var canceled: SessionError? {
        state.withLock { $0.canceled }
    }

    /// Waits while the attempt is suspended, at most for the time that a suspended hop keeps its connection.
    ///
    /// - Returns: True if the next hop may begin; false if the attempt was suspended for too long.
    func untilResumed() async -> Bool {
        let (isSuspended, keep, clock) = state.withLock { state in
            state.hasWaitedTooLong = false
            return (state.isSuspended, state.keep, state.clock)
        }
        guard isSuspended else { return true }
        let timer = keep.map { clock.timer(after: $0) { [weak self] in self?.giveUpWaiting() } }
        defer { timer?.cancel() }
        await withTaskCancellationHandler {
            await withContinuation { continuation in
                let goesOn = state.withLock { state in
                    guard state.isSuspended, state.canceled == nil, !state.hasWaitedTooLong, !Task.isCancelled
                    else { return true }
                    state.waiter = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }?.resume()
        }
        return state.withLock { !$0.hasWaitedTooLong }
    }

    private func giveUpWaiting() {
        let waiter = state.withLock { state -> Continuation<Void>? in
            guard state.isSuspended else { return nil }
            state.hasWaitedTooLong = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Performs work that precedes the next hop and may have to wait.
    ///
    /// The work is cancelled by ``cancel(_:)``, by cancellation of the calling task, and when `limit` has passed. The time
    /// for which the attempt is suspended does not count.
    ///
    /// - Returns: The value of the work, and its duration without that of suspensions.
    func perform<Value: Sendable>(
        within limit: Duration?, by time: SteadyTime, _ work: @escaping @Sendable () async -> Value
    ) async -> (value: Value, active: Duration) {
        let task = Task { await work() }
        let isCanceled = state.withLock { state in
            var work = AwaitedWork(limit: limit, by: time) { task.cancel() }
            if !state.isSuspended { work.run() }
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

    /// The URL of the current hop, or of the last one; `nil` before the first.
    var url: HTTPURL? {
        state.withLock { $0.url }
    }

    /// Records that a hop has begun.
    func adopt(_ transfer: any TransferControl, of url: HTTPURL? = nil) {
        let (isCanceled, mayPerform) = state.withLock { state in
            state.transfer = transfer
            state.url = url
            state.wasSuspended = false
            state.isExpired = false
            guard state.canceled == nil else { return (true, false) }
            return (false, state.isSuspended ? state.suspend(transfer) : false)
        }
        if isCanceled { transfer.cancel() }
        if mayPerform { perform() }
    }

    /// Closes the connection of the current hop, which its sink has no use for any longer.
    ///
    /// Unlike ``cancel(_:)``, this says nothing about the attempt: its outcome is a transfer that was cancelled.
    func cancelTransfer() {
        state.withLock { $0.transfer }?.cancel()
    }

    /// Tells the transfer that the sink of the current hop has room again.
    func resumeReceiving() {
        state.withLock { $0.transfer }?.resumeReceiving()
    }

    /// Records that a hop has ended.
    ///
    /// - Returns: The effect that suspension had on it.
    func hopDidEnd() -> Suspension {
        receiving.stop()
        sending.stop()
        // The transfer is released after the lock: it may be the last reference.
        let (suspension, expiry, _) = state.withLock { state in
            defer {
                state.transfer = nil
                state.expiry = nil
            }
            // At once, so that no reader finds neither the transfer nor its progress.
            if let transfer = state.transfer { state.progress = transfer.progress }
            let suspension: Suspension =
                if state.isExpired { .expired } else if state.wasSuspended { .survived } else { .none }
            return (suspension, state.expiry, state.transfer)
        }
        expiry?.cancel()
        return suspension
    }

    /// The effect of suspension on a hop.
    enum Suspension: Sendable {
        /// It was never suspended.
        case none
        /// It was suspended and kept its connection.
        case survived
        /// Its connection was closed because it was suspended for too long.
        case expired
    }

    private func watchSuspension(_ number: Int) {
        let (keep, clock) = state.withLock { ($0.keep, $0.clock) }
        guard let keep else { return }
        let expiry = clock.timer(after: keep) { [weak self] in self?.expire(number) }
        let isLate = state.withLock { state in
            guard state.isSuspended, state.lastSuspension == number, state.transfer != nil else { return true }
            state.expiry = expiry
            return false
        }
        if isLate { expiry.cancel() }
    }

    /// Ends the hop if it has been suspended since the suspension with this number.
    private func expire(_ number: Int) {
        let transfer = state.withLock { state -> (any TransferControl)? in
            guard state.isSuspended, state.lastSuspension == number, let transfer = state.transfer else { return nil }
            state.isExpired = true
            return transfer
        }
        transfer?.cancel()
    }
}
