/// An event that may change the state of a task.
package enum TaskEvent: Sendable, Hashable {
    /// The scheduled time of the task, or the end of its retry delay, has come.
    case timeCame
    /// A client requested that the task starts next, regardless of its time.
    case runNowRequested
    /// A client moved the task to a later time, so that it has to wait again.
    case postponed
    /// The task cannot start now, because its destination accepts no more, and waits for a while.
    case putOff
    /// The content of the task will not be passed on by this process, so that the task has to wait for it again.
    case contentWithdrawn
    /// An attempt started.
    case attemptStarted
    /// The response arrived and passed validation.
    case attemptSucceeded
    /// The attempt failed; the flag tells if another will follow.
    case attemptFailed(willRetry: Bool)
    /// The attempt ended without an outcome; the flag tells if it may be sent again.
    ///
    /// Either the process ended, or the connection did while the transfer was suspended: for longer than
    /// `timeouts.suspended_keep`, or because the upstream closed it.
    case attemptLost(mayResend: Bool)
    /// The connection of a canceled attempt was closed.
    case connectionClosed
    /// A client suspends the task.
    case suspendRequested
    /// A client resumes the task.
    ///
    /// The value tells what the task waits for if it has no suspended attempt.
    case resumeRequested(Readiness)
    /// A client cancels the task.
    case cancelRequested
    /// The task will never be sent: its deadline has passed, its session is gone, or its request is invalid.
    case refused

    /// The condition that a task without an attempt waits for.
    package enum Readiness: Sendable, Hashable, CaseIterable {
        /// The task waits only for a free slot.
        case ready
        /// The task waits for its scheduled time.
        case early
        /// The task waits for the end of its retry delay.
        case backingOff

        /// The corresponding state.
        package var state: TaskState {
            switch self {
            case .ready: .queued
            case .early: .scheduled
            case .backingOff: .waiting
            }
        }
    }
}
