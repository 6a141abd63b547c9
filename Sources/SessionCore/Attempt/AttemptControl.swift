import Locking
public import Transfer

/// Steers one attempt: what its owner may ask of it while it runs, whatever hop it is at.
///
/// Made before the attempt, which is given it. Any thread; calls before the beginning hold for it, and calls after the
/// end do nothing. The transfer is told in the order of the calls, whatever threads they come from.
public final class AttemptControl: Sendable {
    private let state = Mutex(State())
    /// The pace of what comes.
    let receiving = PacedDirection()
    /// The pace of what goes.
    let sending = PacedDirection()

    private struct State {
        var isSuspended = false
        var canceled: SessionError?
        /// The hop under way.
        var transfer: (any TransferControl)?
        /// What the transfers have to be told, and have not been.
        var actions = ActionQueue<Action>()
        /// The number of the last suspension of a hop.
        var lastSuspension = 0
        /// The hop under way has been suspended at some time.
        var wasSuspended = false
        /// The hop under way was ended because it was suspended for too long.
        var isExpired = false
        /// Ends the hop when it has been suspended for too long.
        var expiry: Task<Void, Never>?
        /// The next hop, which waits to be let go.
        var waiter: CheckedContinuation<Void, Never>?
        /// The next hop has waited for as long as a suspended hop keeps its connection.
        var hasWaitedTooLong = false
        /// What is waited for before the next hop, other than being let go.
        var cancelWork: (@Sendable () -> Void)?
        var progress = TransferProgress()
        /// How long a suspended hop keeps its connection.
        var keep: Duration?
        var clock: any Clock<Duration> = ContinuousClock()

        /// The transfer is to stand still; returns as ``ActionQueue/append(_:)``.
        mutating func hold(_ transfer: any TransferControl) -> Bool {
            wasSuspended = true
            lastSuspension += 1
            return actions.append(.suspend(transfer, number: lastSuspension))
        }
    }

    /// What a transfer is told.
    private enum Action: Sendable {
        case suspend(any TransferControl, number: Int)
        case resume(any TransferControl)
    }

    /// Creates the control of an attempt that has not begun.
    public init() {}

    // MARK: For the owner

    /// Stops reading and writing until ``resume()``; its limits of time stand still meanwhile.
    ///
    /// - Returns: Whether that was news.
    @discardableResult
    public func suspend() -> Bool {
        let (isNews, mayPerform) = state.withLock { state in
            guard !state.isSuspended else { return (false, false) }
            state.isSuspended = true
            return (true, state.transfer.map { state.hold($0) } ?? false)
        }
        if mayPerform { perform() }
        return isNews
    }

    /// Ends a ``suspend()``.
    ///
    /// - Returns: Whether that was news.
    @discardableResult
    public func resume() -> Bool {
        let (isNews, mayPerform, expiry, waiter) = state.withLock { state in
            let isNews = state.isSuspended
            state.isSuspended = false
            defer {
                state.expiry = nil
                state.waiter = nil
            }
            let mayPerform = isNews ? state.transfer.map { state.actions.append(.resume($0)) } ?? false : false
            return (isNews, mayPerform, state.expiry, state.waiter)
        }
        expiry?.cancel()
        waiter?.resume()
        if mayPerform { perform() }
        return isNews
    }

    /// Ends the attempt with an error: the connection is closed at once.
    public func cancel(_ error: SessionError = .canceled) {
        let (transfer, waiter, cancelWork) = state.withLock { state in
            state.canceled = state.canceled ?? error
            defer { state.waiter = nil }
            return (state.transfer, state.waiter, state.cancelWork)
        }
        waiter?.resume()
        cancelWork?()
        transfer?.cancel()
    }

    /// Sets the most that the attempt may move in each direction, in bytes for each second; `nil` for as fast as its
    /// session lets it.
    ///
    /// It holds at once, but for content that is sent from memory: for that it holds from the next request on.
    public func setBytesPerSecond(_ bytesPerSecond: Int64?) {
        receiving.setPace(bytesPerSecond)
        sending.setPace(bytesPerSecond)
    }

    /// Whether the attempt stands still.
    public var isSuspended: Bool {
        state.withLock { $0.isSuspended }
    }

    /// How far the hop under way is, or the last one was.
    public var progress: TransferProgress {
        let (transfer, last) = state.withLock { ($0.transfer, $0.progress) }
        return transfer?.progress ?? last
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
                transfer.resume()
            }
        }
    }
}

// MARK: - For the attempt

extension AttemptControl {
    /// How long a suspended hop keeps its connection.
    func keepSuspended(for duration: Duration?, clock: any Clock<Duration>) {
        state.withLock { state in
            state.keep = duration
            state.clock = clock
        }
    }

    /// Why the owner has ended the attempt; `nil` when it has not.
    var canceled: SessionError? {
        state.withLock { $0.canceled }
    }

    /// Waits while the attempt is suspended, for as long as a suspended hop keeps its connection at most.
    ///
    /// - Returns: Whether the next hop may begin; `false` when it was suspended for too long.
    func untilResumed() async -> Bool {
        let (isSuspended, keep, clock) = state.withLock { state in
            state.hasWaitedTooLong = false
            return (state.isSuspended, state.keep, state.clock)
        }
        guard isSuspended else { return true }
        let alarm = keep.map { clock.alarm(after: $0) { [weak self] in self?.giveUpWaiting() } }
        defer { alarm?.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
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
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.isSuspended else { return nil }
            state.hasWaitedTooLong = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Does something before the next hop that may have to wait, in a task that ``cancel(_:)`` cancels, as does
    /// cancelling the calling one, and the end of the limit of time.
    func perform<Value: Sendable>(
        within limit: Duration?, by clock: any Clock<Duration>, _ work: @escaping @Sendable () async -> Value
    ) async -> Value {
        let task = Task { await work() }
        let alarm = limit.map { clock.alarm(after: $0) { task.cancel() } }
        defer { alarm?.cancel() }
        let isCanceled = state.withLock { state in
            state.cancelWork = { task.cancel() }
            return state.canceled != nil
        }
        if isCanceled { task.cancel() }
        let value = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { $0.cancelWork = nil }
        return value
    }

    /// A hop has begun.
    func adopt(_ transfer: any TransferControl) {
        let (isCanceled, mayPerform) = state.withLock { state in
            state.transfer = transfer
            state.wasSuspended = false
            state.isExpired = false
            guard state.canceled == nil else { return (true, false) }
            return (false, state.isSuspended ? state.hold(transfer) : false)
        }
        if isCanceled { transfer.cancel() }
        if mayPerform { perform() }
    }

    /// The sink of the hop under way has room again.
    func resumeReceiving() {
        state.withLock { $0.transfer }?.resumeReceiving()
    }

    /// A hop has ended.
    ///
    /// - Returns: What suspension has done to it.
    func letGo() -> Suspension {
        receiving.stop()
        sending.stop()
        let (suspension, expiry, transfer) = state.withLock { state in
            defer {
                state.transfer = nil
                state.expiry = nil
            }
            let suspension: Suspension =
                if state.isExpired { .expired } else if state.wasSuspended { .survived } else { .none }
            return (suspension, state.expiry, state.transfer)
        }
        expiry?.cancel()
        if let transfer {
            let progress = transfer.progress
            state.withLock { $0.progress = progress }
        }
        return suspension
    }

    /// What suspension has done to a hop.
    enum Suspension: Sendable {
        /// It was never suspended.
        case none
        /// It was, for a while.
        case survived
        /// Its connection was closed as it was suspended for too long.
        case expired
    }

    private func watchSuspension(_ number: Int) {
        let (keep, clock) = state.withLock { ($0.keep, $0.clock) }
        guard let keep else { return }
        let expiry = clock.alarm(after: keep) { [weak self] in self?.expire(number) }
        let isLate = state.withLock { state in
            guard state.isSuspended, state.lastSuspension == number, state.transfer != nil else { return true }
            state.expiry = expiry
            return false
        }
        if isLate { expiry.cancel() }
    }

    /// Ends the hop that has been standing still since the suspension with this number.
    private func expire(_ number: Int) {
        let transfer = state.withLock { state -> (any TransferControl)? in
            guard state.isSuspended, state.lastSuspension == number, let transfer = state.transfer else { return nil }
            state.isExpired = true
            return transfer
        }
        transfer?.cancel()
    }
}
