package import ErrandTaskStore

/// The outcome of a request to create a task.
package enum TaskCreationOutcome: Sendable {
    /// The task is stored, and its attempt has begun if a slot was free.
    case created(TaskRecord)
    /// The idempotency key has created this task before.
    case replayed(TaskRecord)
    /// The idempotency key has created a task before; its retention time is over and it was removed.
    indirect case replayedRemoved(RemovedTask)
    /// No task is created.
    indirect case refused(Refusal)

    /// A reason not to create a task.
    package enum Refusal: Sendable {
        /// The first request with the idempotency key is still being processed.
        case keyInUse
        /// The idempotency key has created a task with another payload before.
        case keyReused
        /// The idempotency key has created a task of a session that the caller must not see any more.
        case keyOfHiddenTask
        /// The task to be retried has not ended.
        case unfinished(TaskRecord)
        /// The task to be retried was retried already, and the request does not allow a second retry.
        case alreadyRetried
        /// The task to be retried is not valid under the configuration in force.
        case rejected(TaskRejection)
        /// The session is closed and accepts no tasks.
        case sessionClosed(String)
        /// The queue of the session is full; the client may ask again after a while.
        case queueFull(session: String, retryAfter: Duration)
        /// The gateway is stopping; its successor accepts tasks.
        case stopping
    }
}
