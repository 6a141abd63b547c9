/// Where a task is in its life, and what each event makes of it.
///
/// | state | event | next |
/// | --- | --- | --- |
/// | scheduled, waiting | its time has come; a client wants it now | queued |
/// | queued | put off by a client | scheduled |
/// | scheduled, waiting | suspended by a client | suspended |
/// | queued | an attempt starts | running |
/// | queued | suspended by a client | suspended |
/// | running | the attempt succeeds | succeeded |
/// | running | the attempt fails | failed, or waiting when there will be another |
/// | running | the attempt is lost | queued when it may be sent again, else failed |
/// | running | suspended by a client | suspended, the attempt stands still |
/// | suspended | resumed by a client | running when the attempt stands still, else scheduled, waiting or queued |
/// | suspended, attempt standing still | the attempt ends or is lost | as in running, but suspended, without an attempt, where that says waiting or queued |
/// | running, or suspended with an attempt | cancelled by a client | canceling |
/// | scheduled, queued, waiting, or suspended without an attempt | cancelled by a client | canceled |
/// | scheduled, queued, waiting, or suspended without an attempt | refused (its deadline passed, it cannot be sent) | failed |
/// | canceling | the attempt ends, however | canceled |
///
/// A cancelled task never becomes anything else than canceled: an outcome that comes while it is canceling is dropped.
/// Asking for what is already so (suspend a suspended task, cancel a canceled one) changes nothing; every other pair
/// is illegal and does nothing.
package struct TaskLifecycle: Sendable, Hashable {
    /// The state that is stored and shown.
    package private(set) var state: TaskState
    /// An attempt was begun and has not ended.
    ///
    /// Always so in running and canceling, possible in suspended.
    package private(set) var hasOpenAttempt: Bool

    /// Creates the life of a task in a state in which no attempt stands still: running and canceling have an open
    /// attempt, the others have none.
    package init(state: TaskState) {
        self.state = state
        hasOpenAttempt = state == .running || state == .canceling
    }

    /// Creates the life of a task as it was stored, `nil` when there is no such life: running and canceling have an
    /// open attempt, suspended may have one, no other state has.
    package init?(state: TaskState, hasOpenAttempt: Bool) {
        switch state {
        case .running, .canceling: guard hasOpenAttempt else { return nil }
        case .suspended: break
        case .scheduled, .queued, .waiting, .succeeded, .failed, .canceled: guard !hasOpenAttempt else { return nil }
        }
        self.state = state
        self.hasOpenAttempt = hasOpenAttempt
    }

    /// Takes in an event.
    ///
    /// - Returns: What it has done. Only ``Effect/changed`` is to be stored.
    package mutating func handle(_ event: TaskEvent) -> Effect {
        guard let next = next(event) else { return .illegal }
        if next == self { return .none }
        self = next
        return .changed
    }

    /// What an event has done.
    package enum Effect: Sendable, Hashable {
        /// The life went on.
        case changed
        /// It was so already.
        case none
        /// The event does not belong to this state. Nothing was done.
        case illegal
    }

    private func next(_ event: TaskEvent) -> TaskLifecycle? {
        switch event {
        case .timeCame: state == .scheduled || state == .waiting ? .to(.queued) : nil
        case .runNowRequested: runNow
        case .postponed: state == .queued || state == .scheduled ? .to(.scheduled) : nil
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

    /// Suspended, with the attempt that it has, if it has one.
    private var standingStill: TaskLifecycle {
        var life = self
        life.state = .suspended
        return life
    }

    /// It is not under way and not over: it can still be changed, refused or canceled before anything is sent.
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
