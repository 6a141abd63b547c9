package import ErrandTime

/// A task to add, with the key that prevents adding it twice.
package struct NewTask: Sendable, Hashable {
    /// The task.
    package var record: TaskRecord
    /// The client's idempotency key, if any.
    package var idempotency: IdempotencyClaim?
    /// The time by which keys must have expired to have no effect any more.
    ///
    /// Like retention, it may lag behind a clock that was set forward.
    package var keysExpiredBy: Timestamp
    /// True if the task must not be added when the task that it repeats was already repeated.
    package var unlessRetried: Bool

    /// Creates a task to add.
    ///
    /// - Parameter keysExpiredBy: `nil` for the time of the task's creation.
    package init(
        _ record: TaskRecord, idempotency: IdempotencyClaim? = nil, keysExpiredBy: Timestamp? = nil,
        unlessRetried: Bool = false
    ) {
        self.record = record
        self.idempotency = idempotency
        self.keysExpiredBy = keysExpiredBy ?? record.createdAt
        self.unlessRetried = unlessRetried
    }
}

/// A key that identifies repetitions of a client's request.
package struct IdempotencyClaim: Sendable, Hashable {
    /// The owner of the key: the name of the token, or empty without a token.
    ///
    /// Equal keys of two owners are unrelated.
    package var owner: String
    /// The key, 1 to 255 characters.
    package var key: String
    /// The SHA-256 of the requested operation, 32 bytes.
    ///
    /// Another payload with the same key is an error.
    package var payload: [UInt8]
    /// The time from which the key has no effect.
    package var expiresAt: Timestamp

    /// Creates a claim.
    package init(owner: String, key: String, payload: [UInt8], expiresAt: Timestamp) {
        self.owner = owner
        self.key = key
        self.payload = payload
        self.expiresAt = expiresAt
    }
}

/// The remaining data of a task that retention has removed before its idempotency key.
package struct RemovedTask: Sendable, Hashable {
    /// The task.
    package var id: TaskID
    /// Its session.
    package var session: String
    /// The final state.
    package var state: TaskState
    /// The time at which the task was accepted.
    package var createdAt: Timestamp
    /// The time at which it ended.
    package var finishedAt: Timestamp?

    /// Creates the remaining data of a task.
    package init(id: TaskID, session: String, state: TaskState, createdAt: Timestamp, finishedAt: Timestamp?) {
        self.id = id
        self.session = session
        self.state = state
        self.createdAt = createdAt
        self.finishedAt = finishedAt
    }
}

/// The reason for removing a task.
package enum DeletionReason: Sendable, Hashable {
    /// A client requested it, so the idempotency key can be used again.
    case client
    /// The retention time is over.
    ///
    /// The idempotency key is replayed until it expires itself.
    case retention
}

/// The result of adding a task.
package enum Insertion: Sendable, Hashable {
    /// The task is stored.
    case inserted(isBlocked: Bool)
    /// The idempotency key has already created this task with the same payload.
    ///
    /// Nothing was stored.
    case replayed(TaskID)
    /// The idempotency key has already created a task with the same payload, which was finished and removed.
    ///
    /// Nothing was stored.
    indirect case replayedRemoved(RemovedTask)
    /// The idempotency key has already created a task with another payload.
    ///
    /// Nothing was stored.
    case keyReused
    /// This task already repeats the task that was to be repeated.
    ///
    /// Nothing was stored.
    case alreadyRetried(TaskID)
}

/// A change of a task, with the data that must be stored in the same transaction.
package struct TaskUpdate: Sendable, Hashable {
    /// The new task, including its new `revision`.
    package var record: TaskRecord
    /// The revision known to the caller.
    package var expected: Int64
    /// True if the change includes the labels.
    package var changesLabels: Bool
    /// True if the result is the stored one, so that it need not be written again.
    package var keepsResult: Bool
    /// The tasks to add with it: the deliveries of its callbacks.
    package var children: [TaskRecord]
    /// The redirects and challenges of the attempt that ends with this change, in order.
    package var hops: [StoredHop]

    /// Creates a change of the task without further data.
    package init(_ record: TaskRecord, expecting expected: Int64) {
        self.record = record
        self.expected = expected
        changesLabels = false
        keepsResult = false
        children = []
        hops = []
    }
}

/// A redirect or an authentication challenge that an attempt has followed, which is an event of its task.
package struct StoredHop: Sendable, Hashable {
    /// The kind of the event.
    package var kind: StoredEvent.Kind
    /// A JSON object with details.
    package var detail: [UInt8]

    /// Creates a hop from its parts.
    package init(_ kind: StoredEvent.Kind, _ detail: [UInt8]) {
        self.kind = kind
        self.detail = detail
    }
}

/// The result of a change.
package enum UpdateOutcome: Sendable, Hashable {
    /// The change is stored, with all of its data.
    case stored(TaskRelease?)
    /// Nothing is stored, because the task is gone or has another revision.
    case stale
}

/// The next task of an ordering key, which was unblocked because the previous one ended or was removed.
package struct TaskRelease: Sendable, Hashable {
    /// The session of both tasks.
    package var session: String
    /// The position of the task in the queue.
    package var position: QueuePosition
    /// True if the task is queued and should start now.
    ///
    /// Otherwise it will not be blocked once it is queued.
    package var isQueued: Bool

    /// Creates a release.
    package init(session: String, position: QueuePosition, isQueued: Bool) {
        self.session = session
        self.position = position
        self.isQueued = isQueued
    }
}
