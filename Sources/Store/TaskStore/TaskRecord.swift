import ErrandLocking
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
    private var shared: Shared<Values>

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
        shared = Shared(values)
    }

    /// A copy of the values.
    package var values: Values { shared.value }

    /// Changes members of the record.
    package mutating func change<Failure: Error>(_ body: (inout Values) throws(Failure) -> Void) throws(Failure) {
        var values = shared.value
        try body(&values)
        shared = Shared(values)
    }
}

extension TaskRecord: Hashable {
    package static func == (left: TaskRecord, right: TaskRecord) -> Bool {
        left.shared === right.shared || left.shared.value == right.shared.value
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(shared.value)
    }
}

// The members of the values, one by one: a read does not copy the others.
extension TaskRecord {
    package var id: TaskID { shared.value.id }
    package var session: String { shared.value.session }
    package var kind: TaskKind { shared.value.kind }
    package var life: TaskLifecycle { shared.value.life }
    package var priority: Int { shared.value.priority }
    package var createdAt: Timestamp { shared.value.createdAt }
    package var updatedAt: Timestamp { shared.value.updatedAt }
    package var startedAt: Timestamp? { shared.value.startedAt }
    package var finishedAt: Timestamp? { shared.value.finishedAt }
    package var expiresAt: Timestamp? { shared.value.expiresAt }
    package var revision: Int64 { shared.value.revision }
    package var attemptCount: Int { shared.value.attemptCount }
    package var notBefore: Timestamp? { shared.value.notBefore }
    package var isDelayed: Bool { shared.value.isDelayed }
    package var nextAttemptAt: Timestamp? { shared.value.nextAttemptAt }
    package var clockOffset: Duration { shared.value.clockOffset }
    package var readyAt: Timestamp { shared.value.readyAt }
    package var deadline: Timestamp? { shared.value.deadline }
    package var orderingKey: String? { shared.value.orderingKey }
    package var isBlocked: Bool { shared.value.isBlocked }
    package var bytesPerSecond: Int64? { shared.value.bytesPerSecond }
    package var content: TaskContent? { shared.value.content }
    package var keepsPartialFile: Bool { shared.value.keepsPartialFile }
    package var retryOf: TaskID? { shared.value.retryOf }
    package var retriedBy: TaskID? { shared.value.retriedBy }
    package var parent: TaskID? { shared.value.parent }
    package var schedule: String? { shared.value.schedule }
    package var trace: TraceContext? { shared.value.trace }
    package var labels: [String: String] { shared.value.labels }
    package var specification: TaskSpecification { shared.value.specification }
    package var result: TaskResult { shared.value.result }
    package var state: TaskState { shared.value.state }
    package var dueAt: Timestamp? { shared.value.dueAt }
    package var queuePosition: QueuePosition { shared.value.queuePosition }
    package var hasOpenAttempt: Bool { shared.value.hasOpenAttempt }
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
