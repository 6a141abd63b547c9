import ErrandLocking
import ErrandTransfer

extension AttemptControl {
    /// The state that the lock guards: the values that decide, and what their actions are about.
    ///
    /// Part of the control's own allocation: an attempt without suspensions and further requests allocates nothing
    /// else here.
    struct State {
        var suspension: SuspensionMachine
        var hop = CurrentHop()
        var further = FurtherRequests()
        var shown = ShownProgress()
        /// The error with which the owner canceled the attempt.
        var canceled: SessionError?
        /// The actions that are not performed yet.
        var actions = DrainQueue<Action>()
        /// The continuation of the next hop, which waits to be resumed.
        var waiter: Continuation<Void>?
        /// The work that precedes the next hop.
        var work: AwaitedWork?
        /// The destination of the content, while the attempt runs.
        var sink: (any BodySink)?
        /// The time that a suspended hop keeps its connection; `nil` for no limit.
        var keep: Duration?
        /// The clock of ``keep``.
        var clock: any Clock<Duration> = ContinuousClock()

        init(isSuspended: Bool) {
            suspension = SuspensionMachine(since: isSuspended ? .now : nil)
        }
    }

    /// An operation on the requests of the attempt.
    enum Action: Sendable {
        case suspend(any TransferControl, number: Int)
        /// Resumes the pacing too, which a hop that ended during its suspension has left suspended.
        case resume((any TransferControl)?)
        case suspendFurther(AttemptControl)
        case resumeFurther(AttemptControl)
    }
}

extension AttemptControl.State {
    /// Suspends the current hop, if its suspension has a number; returns as ``DrainQueue/append(_:)``.
    mutating func suspendHop(_ number: Int?) -> Bool {
        guard let number, let transfer = hop.transfer else { return false }
        return actions.append(.suspend(transfer, number: number))
    }

    /// Tells the further requests; returns as ``DrainQueue/append(_:)``.
    mutating func tellFurther(_ action: (AttemptControl) -> AttemptControl.Action) -> Bool {
        actions.append(contentsOf: further.controls.map(action))
    }

    /// Takes the continuation of the next hop, to be resumed without the lock.
    mutating func takeWaiter() -> Continuation<Void>? {
        defer { waiter = nil }
        return waiter
    }
}
