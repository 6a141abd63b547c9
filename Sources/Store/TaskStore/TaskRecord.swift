package import ErrandTime

/// A task as it is stored: columns that determine its state, and opaque documents.
///
/// Documents are JSON as the API shows them, rendered once when the described event happened. Reading a task only
/// concatenates their bytes.
///
/// Copies of a record share its ``values``. Records are passed on many times for each change, and a copy of all values
/// would cost hundreds of bytes and a dozen references each time. A change makes such a copy, once for all members that
/// it sets.
package struct TaskRecord: Sendable {
    /// The shared values; they never change, because other threads may read them.
    private var storage: Storage

    private final class Storage: Sendable {
        let values: Values

        init(_ values: Values) { self.values = values }
    }

    /// Creates a record from its parts.
    package init(
        id: TaskID, session: String, kind: TaskKind, state: TaskState, priority: Int, createdAt: Timestamp,
        labels: [String: String], specification: TaskSpecification
    ) {
        self.init(
            Values(
                id: id, session: session, kind: kind, life: TaskLifecycle(state: state), priority: priority,
                createdAt: createdAt, labels: labels, specification: specification))
    }

    /// Creates a record with values.
    package init(_ values: Values) {
        storage = Storage(values)
    }

    /// A copy of the values.
    package var values: Values { storage.values }

    /// Changes members of the record.
    package mutating func change<Failure: Error>(_ body: (inout Values) throws(Failure) -> Void) throws(Failure) {
        var values = storage.values
        try body(&values)
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

// The members of the values, one by one: a read does not copy the others.
extension TaskRecord {
    package var id: TaskID { storage.values.id }
    package var session: String { storage.values.session }
    package var kind: TaskKind { storage.values.kind }
    package var life: TaskLifecycle { storage.values.life }
    package var priority: Int { storage.values.priority }
    package var createdAt: Timestamp { storage.values.createdAt }
    package var updatedAt: Timestamp { storage.values.updatedAt }
    package var startedAt: Timestamp? { storage.values.startedAt }
    package var finishedAt: Timestamp? { storage.values.finishedAt }
    package var expiresAt: Timestamp? { storage.values.expiresAt }
    package var revision: Int64 { storage.values.revision }
    package var attemptCount: Int { storage.values.attemptCount }
    package var notBefore: Timestamp? { storage.values.notBefore }
    package var isDelayed: Bool { storage.values.isDelayed }
    package var nextAttemptAt: Timestamp? { storage.values.nextAttemptAt }
    package var readyAt: Timestamp { storage.values.readyAt }
    package var deadline: Timestamp? { storage.values.deadline }
    package var orderingKey: String? { storage.values.orderingKey }
    package var isBlocked: Bool { storage.values.isBlocked }
    package var bytesPerSecond: Int64? { storage.values.bytesPerSecond }
    package var content: TaskContent? { storage.values.content }
    package var retryOf: TaskID? { storage.values.retryOf }
    package var retriedBy: TaskID? { storage.values.retriedBy }
    package var parent: TaskID? { storage.values.parent }
    package var schedule: String? { storage.values.schedule }
    package var trace: TraceContext? { storage.values.trace }
    package var labels: [String: String] { storage.values.labels }
    package var specification: TaskSpecification { storage.values.specification }
    package var result: TaskResult { storage.values.result }
    package var state: TaskState { storage.values.state }
    package var dueAt: Timestamp? { storage.values.dueAt }
    package var queuePosition: QueuePosition { storage.values.queuePosition }
    package var hasOpenAttempt: Bool { storage.values.hasOpenAttempt }
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
