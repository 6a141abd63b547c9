package import ErrandTime

/// A task as it is stored: columns that determine its state, and opaque documents.
///
/// Documents are JSON as the API shows them, rendered once when the described event happened. Reading a task only
/// concatenates their bytes.
package struct TaskRecord: Sendable {
    /// The values, which copies of the record share; they never change.
    ///
    /// Records are passed on many times for each change. A copy of all values would cost hundreds of bytes and a dozen
    /// references each time; a change costs them once.
    private var storage: Storage

    /// The identifier, which also sorts tasks by creation.
    package var id: TaskID {
        get { storage.values.id }
        set { change { $0.id = newValue } }
    }
    /// The name of the session that runs it.
    package var session: String {
        get { storage.values.session }
        set { change { $0.session = newValue } }
    }
    /// The kind of the task.
    package var kind: TaskKind {
        get { storage.values.kind }
        set { change { $0.kind = newValue } }
    }
    /// The life cycle state, including an open attempt.
    package var life: TaskLifecycle {
        get { storage.values.life }
        set { change { $0.life = newValue } }
    }
    /// The priority, 0 to 9, higher first.
    package var priority: Int {
        get { storage.values.priority }
        set { change { $0.priority = newValue } }
    }
    /// The time at which the task was accepted.
    package var createdAt: Timestamp {
        get { storage.values.createdAt }
        set { change { $0.createdAt = newValue } }
    }
    /// The time of the last stored change.
    package var updatedAt: Timestamp {
        get { storage.values.updatedAt }
        set { change { $0.updatedAt = newValue } }
    }
    /// The time at which the first attempt started.
    package var startedAt: Timestamp? {
        get { storage.values.startedAt }
        set { change { $0.startedAt = newValue } }
    }
    /// The time at which the task reached a terminal state.
    package var finishedAt: Timestamp? {
        get { storage.values.finishedAt }
        set { change { $0.finishedAt = newValue } }
    }
    /// The time from which the task and its data may be removed.
    package var expiresAt: Timestamp? {
        get { storage.values.expiresAt }
        set { change { $0.expiresAt = newValue } }
    }
    /// The number of stored changes, from 1.
    package var revision: Int64 {
        get { storage.values.revision }
        set { change { $0.revision = newValue } }
    }
    /// The number of attempts that have started.
    package var attemptCount: Int {
        get { storage.values.attemptCount }
        set { change { $0.attemptCount = newValue } }
    }
    /// The time before which the task must not start; `nil` if it never had to wait for a time.
    package var notBefore: Timestamp? {
        get { storage.values.notBefore }
        set { change { $0.notBefore = newValue } }
    }
    /// True if `notBefore` is a delay after the creation instead of a time of day.
    ///
    /// The rest of a delay remains the same when the clock is set.
    package var isDelayed: Bool {
        get { storage.values.isDelayed }
        set { change { $0.isDelayed = newValue } }
    }
    /// The end of the current delay between two attempts; `nil` if there is none.
    package var nextAttemptAt: Timestamp? {
        get { storage.values.nextAttemptAt }
        set { change { $0.nextAttemptAt = newValue } }
    }
    /// The time since which the task could have started, for its position in the queue.
    ///
    /// It is the creation or the end of the last required wait; ``Timestamp/earliest`` if a client wants the task to
    /// start next.
    package var readyAt: Timestamp {
        get { storage.values.readyAt }
        set { change { $0.readyAt = newValue } }
    }
    /// The time at which the task fails if it has not succeeded by then.
    package var deadline: Timestamp? {
        get { storage.values.deadline }
        set { change { $0.deadline = newValue } }
    }
    /// The key whose tasks run one at a time within a session.
    ///
    /// Among the unfinished tasks whose time has come, the one that has its turn runs first, then the one created
    /// first.
    package var orderingKey: String? {
        get { storage.values.orderingKey }
        set { change { $0.orderingKey = newValue } }
    }
    /// True if the task is queued but waits for an earlier task of its ordering key.
    ///
    /// Only the store maintains this flag: it unblocks the next task when that one ends. The value in a written record
    /// is ignored.
    package var isBlocked: Bool {
        get { storage.values.isBlocked }
        set { change { $0.isBlocked = newValue } }
    }
    /// The rate limit of the transfer, in bytes per second; `nil` for no limit.
    package var bytesPerSecond: Int64? {
        get { storage.values.bytesPerSecond }
        set { change { $0.bytesPerSecond = newValue } }
    }
    /// The task that this one repeats at a client's request.
    package var retryOf: TaskID? {
        get { storage.values.retryOf }
        set { change { $0.retryOf = newValue } }
    }
    /// The last task that repeats this one.
    ///
    /// Only the store maintains this property, when it adds such a task. The value in a written record is ignored.
    package var retriedBy: TaskID? {
        get { storage.values.retriedBy }
        set { change { $0.retriedBy = newValue } }
    }
    /// The parent of the task: for a callback, the task that has ended.
    package var parent: TaskID? {
        get { storage.values.parent }
        set { change { $0.parent = newValue } }
    }
    /// The name of the schedule that created the task.
    package var schedule: String? {
        get { storage.values.schedule }
        set { change { $0.schedule = newValue } }
    }
    /// The client's labels, by key.
    package var labels: [String: String] {
        get { storage.values.labels }
        set { change { $0.labels = newValue } }
    }
    /// The request of the client, which never changes after creation.
    package var specification: TaskSpecification {
        get { storage.values.specification }
        set { change { $0.specification = newValue } }
    }
    /// The result so far.
    package var result: TaskResult {
        get { storage.values.result }
        set { change { $0.result = newValue } }
    }

    /// Creates a record from its parts.
    package init(
        id: TaskID, session: String, kind: TaskKind, state: TaskState, priority: Int, createdAt: Timestamp,
        labels: [String: String], specification: TaskSpecification
    ) {
        storage = Storage(
            Values(
                id: id, session: session, kind: kind, life: TaskLifecycle(state: state), priority: priority,
                createdAt: createdAt, updatedAt: createdAt, readyAt: createdAt, labels: labels,
                specification: specification))
    }

    /// Changes a copy of the values: other records, and other threads, may share the present ones.
    private mutating func change(_ body: (inout Values) -> Void) {
        var values = storage.values
        body(&values)
        storage = Storage(values)
    }
}

extension TaskRecord: Hashable {
    package static func == (left: TaskRecord, right: TaskRecord) -> Bool {
        left.storage === right.storage || left.storage.values == right.storage.values
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(storage.values)
    }
}

extension TaskRecord {
    private final class Storage: Sendable {
        let values: Values

        init(_ values: Values) { self.values = values }
    }

    private struct Values: Sendable, Hashable {
        var id: TaskID
        var session: String
        var kind: TaskKind
        var life: TaskLifecycle
        var priority: Int
        var createdAt: Timestamp
        var updatedAt: Timestamp
        var startedAt: Timestamp?
        var finishedAt: Timestamp?
        var expiresAt: Timestamp?
        var revision: Int64 = 1
        var attemptCount: Int = 0
        var notBefore: Timestamp?
        var isDelayed: Bool = false
        var nextAttemptAt: Timestamp?
        var readyAt: Timestamp
        var deadline: Timestamp?
        var orderingKey: String?
        var isBlocked: Bool = false
        var bytesPerSecond: Int64?
        var retryOf: TaskID?
        var retriedBy: TaskID?
        var parent: TaskID?
        var schedule: String?
        var labels: [String: String]
        var specification: TaskSpecification
        var result: TaskResult = TaskResult()
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
