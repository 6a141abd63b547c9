/// The state of a task in its life cycle, and the transition for each event.
///
/// | state | event | next |
/// | --- | --- | --- |
/// | scheduled, waiting | the time has come; a client wants the task now | queued |
/// | queued | postponed by a client | scheduled |
/// | queued, waiting | its content is withdrawn before an attempt takes it | scheduled |
/// | scheduled, waiting | suspended by a client | suspended |
/// | queued | an attempt starts | running |
/// | queued | suspended by a client | suspended |
/// | running | the attempt succeeds | succeeded |
/// | running | the attempt fails | failed, or waiting if another follows |
/// | running | the attempt is lost | queued if it may be sent again, else failed |
/// | running | suspended by a client | suspended, with a suspended attempt |
/// | suspended | resumed by a client | running if it has an attempt, else scheduled, waiting or queued |
/// | suspended, with an attempt | the attempt ends or is lost | as in running, but suspended without an attempt instead of waiting or queued |
/// | running, or suspended with an attempt | canceled by a client | canceling |
/// | scheduled, queued, waiting, or suspended without an attempt | canceled by a client | canceled |
/// | scheduled, queued, waiting, or suspended without an attempt | refused (its deadline passed, it cannot be sent) | failed |
/// | canceling | the attempt ends, in any way | canceled |
///
/// A canceled task never reaches another final state: an outcome that arrives while it is canceling is dropped. An
/// event that requests the current state (suspend a suspended task, cancel a canceled one) has no effect. Every other
/// pair is illegal and has no effect either.
package struct TaskLifecycle: Sendable, Hashable {
    /// The state that is stored and shown.
    package private(set) var state: TaskState
    /// True if an attempt has started and not ended.
    ///
    /// Always true in running and canceling, possibly true in suspended.
    package private(set) var hasOpenAttempt: Bool

    /// Creates a life cycle state without a suspended attempt.
    ///
    /// Running and canceling have an open attempt, the other states have none.
    package init(state: TaskState) {
        self.state = state
        hasOpenAttempt = state == .running || state == .canceling
    }

    /// Creates a stored life cycle state; returns `nil` for an impossible one.
    ///
    /// Running and canceling have an open attempt, suspended may have one, and the other states have none.
    package init?(state: TaskState, hasOpenAttempt: Bool) {
        switch state {
        case .running, .canceling: guard hasOpenAttempt else { return nil }
        case .suspended: break
        case .scheduled, .queued, .waiting, .succeeded, .failed, .canceled: guard !hasOpenAttempt else { return nil }
        }
        self.state = state
        self.hasOpenAttempt = hasOpenAttempt
    }

    /// Applies an event.
    ///
    /// - Returns: The effect. The state must be stored only after ``Effect/changed``.
    package mutating func handle(_ event: TaskEvent) -> Effect {
        guard let next = next(event) else { return .illegal }
        if next == self { return .none }
        self = next
        return .changed
    }

    /// The effect of an event.
    package enum Effect: Sendable, Hashable {
        /// The state changed.
        case changed
        /// The task was already in the requested state.
        case none
        /// The event is not allowed in this state and had no effect.
        case illegal
    }

    private func next(_ event: TaskEvent) -> TaskLifecycle? {
        switch event {
        case .timeCame: state == .scheduled || state == .waiting ? .to(.queued) : nil
        case .runNowRequested: runNow
        case .postponed: state == .queued || state == .scheduled ? .to(.scheduled) : nil
        case .putOff: state == .queued || state == .waiting ? .to(.waiting) : nil
        case .contentWithdrawn: contentWithdrawn
        case .attemptStarted: state == .queued ? .to(.running) : nil
        case .attemptSucceeded: attemptEnded(.to(.succeeded))
        case .attemptFailed(let willRetry):
            attemptEnded(willRetry ? .to(isSuspended ? .suspended : .waiting) : .to(.failed))
        case .attemptLost(let mayResend):
            attemptEnded(mayResend ? .to(isSuspended ? .suspended : .queued) : .to(.failed))
        case .connectionClosed: state == .canceling ? .to(.canceled) : nil
        case .suspendRequested: suspended
        case .resumeRequested(let readiness): resumed(readiness)
        case .cancelRequested: canceled
        case .refused: isPending ? .to(.failed) : nil
        }
    }

    private static func to(_ state: TaskState) -> TaskLifecycle {
        TaskLifecycle(state: state)
    }

    private var isSuspended: Bool { state == .suspended }

    /// The suspended state that keeps the attempt, if there is one.
    private var standingStill: TaskLifecycle {
        var life = self
        life.state = .suspended
        return life
    }

    /// True if the task is neither under way nor finished, so that it can be changed, refused or canceled before
    /// anything is sent.
    package var isPending: Bool {
        switch state {
        case .scheduled, .queued, .waiting: true
        case .suspended: !hasOpenAttempt
        case .running, .canceling, .succeeded, .failed, .canceled: false
        }
    }

    private var runNow: TaskLifecycle? {
        switch state {
        case .scheduled, .waiting: .to(.queued)
        case .queued, .running: self
        case .suspended, .canceling, .succeeded, .failed, .canceled: nil
        }
    }

    private var contentWithdrawn: TaskLifecycle? {
        switch state {
        case .scheduled, .queued, .waiting: .to(.scheduled)
        case .suspended: hasOpenAttempt ? nil : self
        case .running, .canceling, .succeeded, .failed, .canceled: nil
        }
    }

    private func attemptEnded(_ next: TaskLifecycle) -> TaskLifecycle? {
        guard hasOpenAttempt else { return nil }
        return state == .canceling ? .to(.canceled) : next
    }

    private var suspended: TaskLifecycle? {
        switch state {
        case .scheduled, .queued, .running, .waiting, .suspended: standingStill
        case .canceling, .succeeded, .failed, .canceled: nil
        }
    }

    private func resumed(_ readiness: TaskEvent.Readiness) -> TaskLifecycle? {
        switch state {
        case .suspended where hasOpenAttempt: .to(.running)
        case .suspended: .to(readiness.state)
        case .scheduled, .queued, .running, .waiting: self
        case .canceling, .succeeded, .failed, .canceled: nil
        }
    }

    private var canceled: TaskLifecycle? {
        switch state {
        case .running, .canceling: .to(.canceling)
        case .suspended where hasOpenAttempt: .to(.canceling)
        case .scheduled, .queued, .waiting, .suspended, .canceled: .to(.canceled)
        case .succeeded, .failed: nil
        }
    }
}
