/// One task as it is stored: the columns that decide its life, and documents that are only passed on.
///
/// Documents are JSON as the API shows it, rendered once when the thing that they describe happened, so that reading
/// a task back is splicing bytes.
package struct TaskRecord: Sendable, Hashable {
    /// The identifier, which also orders tasks by creation.
    package var id: TaskID
    /// The name of the session that runs it.
    package var session: String
    /// What it is.
    package var kind: TaskKind
    /// Where it is in its life: its state, and whether an attempt is open.
    package var life: TaskLifecycle
    /// 0 to 9, higher first.
    package var priority: Int
    /// When it was accepted.
    package var createdAt: Timestamp
    /// When anything stored of it changed last.
    package var updatedAt: Timestamp
    /// When its first attempt started.
    package var startedAt: Timestamp?
    /// When it reached a terminal state.
    package var finishedAt: Timestamp?
    /// When it may be removed with everything that belongs to it.
    package var expiresAt: Timestamp?
    /// Counts stored changes, from 1.
    package var revision: Int64
    /// The attempts begun.
    package var attemptCount: Int
    /// Not to be started before; `nil` when it never had to wait for a time.
    package var notBefore: Timestamp?
    /// The end of the pause between two attempts that is under way; `nil` when there is none.
    package var nextAttemptAt: Timestamp?
    /// Since when it could have been started, for its place in the queue: its creation, or the end of the last time that
    /// it had to wait for; ``Timestamp/earliest`` when a client wants it next.
    package var readyAt: Timestamp
    /// When it fails if it has not succeeded by then.
    package var deadline: Timestamp?
    /// Tasks of a session with the same key run one at a time: of those whose time has come and that are not over, the
    /// one that holds the turn, and after it the one that was created first.
    package var orderingKey: String?
    /// Queued, but an earlier task of its ordering key is not done: kept by the store alone, which lets go of the next
    /// one when that ends; what a written record says of it has no effect.
    package var isBlocked: Bool
    /// The most that it may move; `nil` for as fast as it goes.
    package var bytesPerSecond: Int64?
    /// The task that this one repeats at a client's wish.
    package var retryOf: TaskID?
    /// The task that this one is about: a callback's, the one that has ended.
    package var parent: TaskID?
    /// The name of the schedule that has made it.
    package var schedule: String?
    /// The client's labels, by key.
    package var labels: [String: String]
    /// What the client asked for.
    ///
    /// Never changes after creation.
    package var specification: TaskSpecification
    /// What came of it so far.
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
        self.labels = labels
        self.specification = specification
        result = TaskResult()
    }
}

extension TaskRecord {
    /// The state of its ``life``.
    ///
    /// Setting it sets a life without an attempt that stands still; to keep a suspended task's attempt, set ``life``.
    package var state: TaskState {
        get { life.state }
        set { life = TaskLifecycle(state: newValue) }
    }

    /// When a scheduled task, or one between two attempts, is to be queued; `nil` in every other state.
    package var dueAt: Timestamp? {
        switch state {
        case .scheduled: notBefore
        case .waiting: nextAttemptAt
        case .queued, .running, .suspended, .canceling, .succeeded, .failed, .canceled: nil
        }
    }

    /// Where the task is in its session's queue.
    package var queuePosition: QueuePosition {
        QueuePosition(priority: priority, readyAt: readyAt, id: id)
    }

    /// An attempt was begun and has not ended, as far as the store knows: after the end of a process, a lost attempt.
    package var hasOpenAttempt: Bool { life.hasOpenAttempt }
}

/// What the client asked for, as documents.
package struct TaskSpecification: Sendable, Hashable {
    /// The task as the client wrote it (a JSON object), from which an attempt is prepared.
    package var task: [UInt8]
    /// The `request` member of the answer (a JSON object): method, URL, headers without secrets.
    package var request: [UInt8]
    /// The size of the request's content.
    package var contentBytes: Int64
    /// The `callback` member (a JSON object: url, session, states), when the client wants one.
    package var callback: [UInt8]?

    /// Creates a specification.
    package init(task: [UInt8], request: [UInt8], contentBytes: Int64 = 0, callback: [UInt8]? = nil) {
        self.task = task
        self.request = request
        self.contentBytes = contentBytes
        self.callback = callback
    }
}

/// What came of a task so far, as documents; empty until the first attempt has begun.
package struct TaskResult: Sendable, Hashable {
    /// The items of the `attempts` member, separated by commas, without the brackets.
    package var attempts: [UInt8] = []
    /// The members of `response` but `object` and `body`, separated by commas, without the braces; `nil`: no response.
    package var response: [UInt8]?
    /// The `error` member (a JSON object); `nil`: none.
    package var error: [UInt8]?
    /// The response's content.
    package var body: StoredBody?
    /// Where the `object` of the response is.
    package var object = StoredObject.none

    /// Creates an empty result.
    package init() {}
}

/// The content of a response, as stored.
package struct StoredBody: Sendable, Hashable {
    /// The number of bytes.
    package var size: Int64
    /// The SHA-256 of the bytes, 32 of them.
    package var sha256: [UInt8]
    /// The media type as the upstream sent it, when it did.
    package var contentType: String?
    /// Where the bytes are.
    package var location: Location

    /// Where the bytes of a body are.
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

/// Where the object of a response is: what the response serializer made of the content.
package enum StoredObject: Sendable, Hashable {
    /// There is none, or it is null.
    case none
    /// It is a part of the body's bytes, which is JSON already: passed on to the byte.
    case slice(Range<Int>)
    /// It was made from the body: these bytes of JSON.
    case json([UInt8])
    /// It is too large to be repeated; the body has it.
    case omitted
}
