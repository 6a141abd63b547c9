package import ErrandTime

/// A task as it is stored: columns that determine its state, and opaque documents.
///
/// Documents are JSON as the API shows them, rendered once when the described event happened. Reading a task only
/// concatenates their bytes.
package struct TaskRecord: Sendable, Hashable {
    /// The identifier, which also sorts tasks by creation.
    package var id: TaskID
    /// The name of the session that runs it.
    package var session: String
    /// The kind of the task.
    package var kind: TaskKind
    /// The life cycle state, including an open attempt.
    package var life: TaskLifecycle
    /// The priority, 0 to 9, higher first.
    package var priority: Int
    /// The time at which the task was accepted.
    package var createdAt: Timestamp
    /// The time of the last stored change.
    package var updatedAt: Timestamp
    /// The time at which the first attempt started.
    package var startedAt: Timestamp?
    /// The time at which the task reached a terminal state.
    package var finishedAt: Timestamp?
    /// The time from which the task and its data may be removed.
    package var expiresAt: Timestamp?
    /// The number of stored changes, from 1.
    package var revision: Int64
    /// The number of attempts that have started.
    package var attemptCount: Int
    /// The time before which the task must not start; `nil` if it never had to wait for a time.
    package var notBefore: Timestamp?
    /// True if `notBefore` is a delay after the creation instead of a time of day.
    ///
    /// The rest of a delay remains the same when the clock is set.
    package var isDelayed: Bool
    /// The end of the current delay between two attempts; `nil` if there is none.
    package var nextAttemptAt: Timestamp?
    /// The time since which the task could have started, for its position in the queue.
    ///
    /// It is the creation or the end of the last required wait; ``Timestamp/earliest`` if a client wants the task to
    /// start next.
    package var readyAt: Timestamp
    /// The time at which the task fails if it has not succeeded by then.
    package var deadline: Timestamp?
    /// The key whose tasks run one at a time within a session.
    ///
    /// Among the unfinished tasks whose time has come, the one that has its turn runs first, then the one created
    /// first.
    package var orderingKey: String?
    /// True if the task is queued but waits for an earlier task of its ordering key.
    ///
    /// Only the store maintains this flag: it unblocks the next task when that one ends. The value in a written record
    /// is ignored.
    package var isBlocked: Bool
    /// The rate limit of the transfer, in bytes per second; `nil` for no limit.
    package var bytesPerSecond: Int64?
    /// The task that this one repeats at a client's request.
    package var retryOf: TaskID?
    /// The last task that repeats this one.
    ///
    /// Only the store maintains this property, when it adds such a task. The value in a written record is ignored.
    package var retriedBy: TaskID?
    /// The parent of the task: for a callback, the task that has ended.
    package var parent: TaskID?
    /// The name of the schedule that created the task.
    package var schedule: String?
    /// The client's labels, by key.
    package var labels: [String: String]
    /// The request of the client, which never changes after creation.
    package var specification: TaskSpecification
    /// The result so far.
    package var result: TaskResult

    /// Creates a record from its parts.
    package init(
        id: TaskID, session: String, kind: TaskKind, state: TaskState, priority: Int, createdAt: Timestamp,
        labels: [String: String], specification: TaskSpecification
    ) {
        self.id = id
        self.session = session
        self.kind = kind
        life = TaskLifecycle(state: state)
        self.priority = priority
        self.createdAt = createdAt
        updatedAt = createdAt
        revision = 1
        attemptCount = 0
        readyAt = createdAt
        isBlocked = false
        isDelayed = false
        self.labels = labels
        self.specification = specification
        result = TaskResult()
    }
}

extension TaskRecord {
    /// The state of its ``life``.
    ///
    /// Setting it removes a suspended attempt; to keep the attempt, set ``life``.
    package var state: TaskState {
        get { life.state }
        set { life = TaskLifecycle(state: newValue) }
    }

    /// The time at which a scheduled task, or one between two attempts, is queued; `nil` in every other state.
    package var dueAt: Timestamp? {
        switch state {
        case .scheduled: notBefore
        case .waiting: nextAttemptAt
        case .queued, .running, .suspended, .canceling, .succeeded, .failed, .canceled: nil
        }
    }

    /// The position of the task in its session's queue.
    package var queuePosition: QueuePosition {
        QueuePosition(priority: priority, readyAt: readyAt, id: id)
    }

    /// True if an attempt has started and not ended, as far as the store knows.
    ///
    /// After the end of the process this is a lost attempt.
    package var hasOpenAttempt: Bool { life.hasOpenAttempt }
}

/// The request of the client, as documents.
package struct TaskSpecification: Sendable, Hashable {
    /// The task as the client wrote it (a JSON object), from which attempts are prepared.
    package var task: [UInt8]
    /// The `request` member of the API response (a JSON object): method, URL, headers without secrets.
    package var request: [UInt8]
    /// The size of the request's content.
    package var contentBytes: Int64
    /// The `callback` member (a JSON object: url, session, states), if the client wants a callback.
    package var callback: [UInt8]?

    /// Creates a specification.
    package init(task: [UInt8], request: [UInt8], contentBytes: Int64 = 0, callback: [UInt8]? = nil) {
        self.task = task
        self.request = request
        self.contentBytes = contentBytes
        self.callback = callback
    }
}

/// The result of a task so far, as documents; empty until the first attempt has started.
package struct TaskResult: Sendable, Hashable {
    /// The items of the `attempts` member, separated by commas, without the brackets.
    package var attempts: [UInt8] = []
    /// The members of `response` except `object` and `body`, separated by commas, without the braces; `nil` for none.
    package var response: [UInt8]?
    /// The `error` member (a JSON object); `nil` for none.
    package var error: [UInt8]?
    /// The response's content.
    package var body: StoredBody?
    /// The location of the response's `object`.
    package var object = StoredObject.none

    /// Creates an empty result.
    package init() {}
}

/// The stored content of a response.
package struct StoredBody: Sendable, Hashable {
    /// The number of bytes.
    package var size: Int64
    /// The SHA-256 of the bytes (32 bytes).
    package var sha256: [UInt8]
    /// The media type as the upstream sent it, if any.
    package var contentType: String?
    /// The location of the bytes.
    package var location: Location

    /// The location of a body's bytes.
    package enum Location: Sendable, Hashable {
        /// In the record.
        case inline([UInt8])
        /// In the body file of the task.
        case file
    }

    /// Creates a stored body.
    package init(size: Int64, sha256: [UInt8], contentType: String?, location: Location) {
        self.size = size
        self.sha256 = sha256
        self.contentType = contentType
        self.location = location
    }
}

/// The location of a response's object, which the response serializer created from the content.
package enum StoredObject: Sendable, Hashable {
    /// There is no object, or it is null.
    case none
    /// The object is a range of the body's bytes, which are already JSON and passed on unchanged.
    case slice(Range<Int>)
    /// The object was created from the body and is stored as these bytes of JSON.
    case json([UInt8])
    /// The object is too large to be repeated; the body contains it.
    case omitted
}
