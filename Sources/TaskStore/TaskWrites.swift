/// A task to be added, and the key that keeps it from being added twice.
package struct NewTask: Sendable, Hashable {
    /// The task.
    package var record: TaskRecord
    /// The client's idempotency key, when it gave one.
    package var idempotency: IdempotencyClaim?

    /// Creates a task to be added.
    package init(_ record: TaskRecord, idempotency: IdempotencyClaim? = nil) {
        self.record = record
        self.idempotency = idempotency
    }
}

/// A key by which a client's request is known when it comes again.
package struct IdempotencyClaim: Sendable, Hashable {
    /// Whose key it is: the name of the token, empty without one.
    ///
    /// Equal keys of two owners have nothing to do with each other.
    package var owner: String
    /// The key, 1 to 255 characters.
    package var key: String
    /// SHA-256 of what the request asks for, 32 bytes: another payload under the same key is a mistake.
    package var payload: [UInt8]
    /// From when on the key means nothing any more.
    package var expiresAt: Timestamp

    /// Creates a claim.
    package init(owner: String, key: String, payload: [UInt8], expiresAt: Timestamp) {
        self.owner = owner
        self.key = key
        self.payload = payload
        self.expiresAt = expiresAt
    }
}

/// What became of a task that was to be added.
package enum Insertion: Sendable, Hashable {
    /// It is stored.
    case inserted(isBlocked: Bool)
    /// Its idempotency key has made another task before, of the same payload. Nothing was stored.
    case replayed(TaskID)
    /// Its idempotency key has made another task before, of another payload. Nothing was stored.
    case keyReused
}

/// A change of a task, with what has to be stored together with it or not at all.
package struct TaskUpdate: Sendable, Hashable {
    /// The task as it shall be; its `revision` is the new one.
    package var record: TaskRecord
    /// The revision that the caller has seen.
    package var expected: Int64
    /// The labels are among what changes.
    package var changesLabels: Bool
    /// Tasks that are added with it: the deliveries of its callbacks.
    package var children: [TaskRecord]
    /// The redirects that the attempt which ends with it has followed, JSON objects in their order.
    package var redirects: [[UInt8]]

    /// Creates a change of the task alone.
    package init(_ record: TaskRecord, expecting expected: Int64) {
        self.record = record
        self.expected = expected
        changesLabels = false
        children = []
        redirects = []
    }
}

/// What became of a change.
package enum UpdateOutcome: Sendable, Hashable {
    /// It is stored, with all that belongs to it.
    case stored(TaskRelease?)
    /// Nothing is: the task is gone or has another revision.
    case stale
}

/// The next task of an ordering key, whose turn has come because the one before it is done or gone.
package struct TaskRelease: Sendable, Hashable {
    /// The session of both.
    package var session: String
    /// Where it is in the queue.
    package var position: QueuePosition
    /// It is queued, so that it is to be started now; otherwise it is blocked no more when it will be.
    package var isQueued: Bool

    /// Creates a release.
    package init(session: String, position: QueuePosition, isQueued: Bool) {
        self.session = session
        self.position = position
        self.isQueued = isQueued
    }
}
