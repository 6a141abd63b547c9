import ErrandLocking
public import ErrandTransfer

/// The control of one attempt: the operations that its owner may call while it runs, at any hop.
///
/// Created before the attempt, which receives it. Any thread; calls before the attempt begins apply to it, and calls
/// after its end do nothing. The transfer is told in the order of the calls, whatever threads they come from.
public final class AttemptControl: Sendable {
    let state: Mutex<State>
    /// The pacing of received bytes.
    let receiving = PacedDirection()
    /// The pacing of sent bytes.
    let sending = PacedDirection()
    /// Locked while the rate is divided, so that an earlier division does not replace a later one.
    let division = Mutex(())

    /// Creates the control of an attempt that has not begun.
    public convenience init() {
        self.init(isSuspended: false)
    }

    /// Creates the control of an attempt that has not begun, and that waits to be resumed if it is suspended.
    init(isSuspended: Bool) {
        state = Mutex(State(isSuspended: isSuspended))
    }

    // MARK: For the owner

    /// Stops reading and writing until ``resume()``; timeouts do not run meanwhile.
    ///
    /// - Returns: True if the attempt was not suspended before.
    @discardableResult
    public func suspend() -> Bool {
        let (isNews, mustDrain) = state.withLock { state in
            guard case .suspend(let number) = state.suspension.suspend(at: .now) else { return (false, false) }
            state.work?.pause()
            let mustDrain = state.suspendHop(number)
            return (true, state.tellFurther { .suspendFurther($0) } || mustDrain)
        }
        if mustDrain { drainActions() }
        return isNews
    }

    /// Resumes after ``suspend()``.
    ///
    /// - Returns: True if the attempt was suspended before.
    @discardableResult
    public func resume() -> Bool {
        resume {}
    }

    /// Resumes after ``suspend()``.
    ///
    /// - Parameter willResume: Called if the attempt was suspended, before anything of it goes on, under the lock of the
    ///   control: it must call nothing of the attempt.
    /// - Returns: True if the attempt was suspended before.
    @discardableResult
    func resume(_ willResume: () -> Void) -> Bool {
        let (isNews, mustDrain, expiry, waiter) = state.withLock { state in
            let isNews = state.suspension.resume(at: .now) == .resume
            if isNews { willResume() }
            state.work?.run()
            var mustDrain = isNews ? state.actions.append(.resume(state.hop.transfer)) : false
            if isNews, state.tellFurther({ .resumeFurther($0) }) { mustDrain = true }
            return (isNews, mustDrain, state.hop.takeExpiry(), state.takeWaiter())
        }
        expiry?.cancel()
        waiter?.resume()
        if mustDrain { drainActions() }
        return isNews
    }

    /// Cancels the attempt with an error: the connection is closed at once.
    public func cancel(_ error: SessionError = .canceled) {
        let (transfer, waiter, cancelWork, further) = state.withLock { state in
            state.canceled = state.canceled ?? error
            return (state.hop.transfer, state.takeWaiter(), state.work?.cancel, state.further.controls)
        }
        waiter?.resume()
        cancelWork?()
        transfer?.cancel()
        for control in further { control.cancel(error) }
    }

    /// Sets the maximum rate of the attempt in each direction, in bytes per second; `nil` for no limit but the
    /// session's.
    ///
    /// Takes effect at once, except for content that is sent from memory: there it takes effect with the next request.
    public func setBytesPerSecond(_ bytesPerSecond: Int64?) {
        state.withLock { $0.further.pace = bytesPerSecond }
        dividePace()
    }

    /// True if the attempt is suspended.
    public var isSuspended: Bool {
        state.withLock { $0.suspension.isSuspended }
    }

    /// The progress of the current hop, or of the last one.
    public var progress: TransferProgress {
        let shown = state.withLock { $0.shown }
        return shown.progress(of: transferProgress)
    }

    /// The progress of the transfer of the current hop, or of the last one, whatever ``showProgress(_:)`` shows.
    ///
    /// With further requests, the bytes are those of all of them, whose total is unknown.
    package var transferProgress: TransferProgress {
        let (transfer, last, further) = state.withLock { ($0.hop.transfer, $0.hop.lastProgress, $0.further) }
        return further.added(to: transfer?.progress ?? last)
    }

    /// Shows the progress of more than the current transfer, as of a resumed download.
    package func showProgress(_ shown: @escaping @Sendable (TransferProgress) -> TransferProgress) {
        state.withLock { $0.shown.convert(by: shown) }
    }

    /// Keeps the progress as it is shown now, and releases the closure of ``showProgress(_:)``, after the last request.
    package func keepShownProgress() {
        let progress = progress
        state.withLock { $0.shown.keep(progress) }
    }

    /// Performs the queued actions, unless another caller is doing so.
    func drainActions() {
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
            case .suspendFurther(let control):
                control.suspend()
            case .resumeFurther(let control):
                control.resume()
            }
        }
    }

    /// Begins to count the time of the suspension of a hop with this number.
    private func watchSuspension(_ number: Int) {
        let (keep, clock) = state.withLock { ($0.keep, $0.clock) }
        guard let keep else { return }
        let expiry = clock.timer(after: keep) { [weak self] in self?.expire(number) }
        let isLate = state.withLock { state in
            guard state.suspension.isHopSuspended(number: number) else { return true }
            state.hop.expiry = expiry
            return false
        }
        if isLate { expiry.cancel() }
    }

    /// Ends the hop if it has been suspended since the suspension with this number.
    private func expire(_ number: Int) {
        let transfer = state.withLock { state -> (any TransferControl)? in
            state.suspension.timeIsOver(number: number) == .closeHop ? state.hop.transfer : nil
        }
        transfer?.cancel()
    }
}
