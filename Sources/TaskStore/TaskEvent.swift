/// What happens to a task.
package enum TaskEvent: Sendable, Hashable {
    /// The time that it was scheduled for, or the end of its back-off, has come.
    case timeCame
    /// A client wants it next, whatever its time.
    case runNowRequested
    /// A client wants it later than now: it has to wait for its time again.
    case postponed
    /// An attempt begins.
    case attemptStarted
    /// The response came and passed validation.
    case attemptSucceeded
    /// The attempt ended with an error; whether there will be another.
    case attemptFailed(willRetry: Bool)
    /// The attempt is gone without an outcome; whether it may be sent again.
    ///
    /// Its process ended, or its connection did while it stood still: the task was suspended for longer than
    /// `timeouts.suspended_keep`, or the upstream closed it.
    case attemptLost(mayResend: Bool)
    /// The connection of a cancelled attempt was closed.
    case connectionClosed
    /// A client holds it.
    case suspendRequested
    /// A client lets it go on; what it waits for when no attempt stands still.
    case resumeRequested(Readiness)
    /// A client cancels it.
    case cancelRequested
    /// It will never be sent: its deadline has passed, its session is gone, its request cannot be made.
    case refused

    /// What a task that is not under way waits for.
    package enum Readiness: Sendable, Hashable, CaseIterable {
        /// Nothing but a place.
        case ready
        /// The time that it was scheduled for.
        case early
        /// The end of its back-off.
        case backingOff

        /// The state that says so.
        package var state: TaskState {
            switch self {
            case .ready: .queued
            case .early: .scheduled
            case .backingOff: .waiting
            }
        }
    }
}
