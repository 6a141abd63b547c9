import ErrandJSON
package import ErrandSessionCore
import ErrandTaskStore
import ErrandTime

/// A checked task with its request.
///
/// A reference, because the functions that hand it on suspend: each of them would keep a copy of its many values.
@dynamicMemberLookup
package final class AcceptedTask: Sendable {
    /// The name of the session that has prepared it.
    package let session: String
    /// The values of its document.
    let values: Values
    private let request: Request

    /// The request of a task.
    private enum Request: Sendable {
        /// As the session has prepared it.
        case prepared(PreparedRequest)
        /// As the task shows it, with the number of bytes of its content.
        case shown([UInt8], contentBytes: Int64)
    }

    /// Creates a task.
    init(_ values: Values, session: String, prepared: PreparedRequest) {
        self.session = session
        self.values = values
        request = .prepared(prepared)
    }

    private init(_ values: Values, session: String, _ request: Request) {
        self.session = session
        self.values = values
        self.request = request
    }

    /// The request that the session will send, without its content if the client sends that separately; `nil` if its
    /// attempt prepares it from the document.
    package var prepared: PreparedRequest? {
        if case .prepared(let prepared) = request { prepared } else { nil }
    }

    /// A value of the document.
    package subscript<Value>(dynamicMember property: KeyPath<Values, Value>) -> Value { values[keyPath: property] }

    /// The values of a task's document, apart from its request.
    package struct Values: Sendable {
        var kind: TaskKind
        var priority: Int
        var labels: [String: String]
        /// True if the task is created suspended, until a client resumes it.
        var startsSuspended: Bool
        var times: TaskTimes
        var orderingKey: String?
        /// The transfer rate limit, in bytes per second; `nil` for none.
        var bytesPerSecond: Int64?
        /// The callback about its end, as it is stored.
        var callback: [UInt8]?
        /// The idempotency key and payload of the request that creates it.
        var claim: TaskClaim?
        /// The document to be stored, from which attempts are prepared.
        var document: [UInt8]
        /// The content that the client sends separately; `nil` if the document has all of it.
        var content: Content?
    }

    /// The content of a request that is not part of the document.
    enum Content: Sendable {
        /// It has not arrived: the task waits for it from its creation.
        case awaited
        /// It has arrived already.
        case arrived(TaskContent)
    }

    /// The origin of a task, apart from its document.
    struct Origin: Sendable, Hashable {
        /// The task that it retries at a client's request.
        var retryOf: TaskID?
        /// The name of the schedule that creates it.
        var schedule: String?
        /// The trace that it continues.
        var trace: TraceContext?

        /// Creates an origin; by default a client's document alone.
        init(retryOf: TaskID? = nil, schedule: String? = nil, trace: TraceContext? = nil) {
            self.retryOf = retryOf
            self.schedule = schedule
            self.trace = trace
        }
    }

    /// Returns the same task without its prepared request, whose content can be much larger than the document.
    ///
    /// For a task among many, whose requests would take too much memory together.
    package func withoutPreparedRequest() -> AcceptedTask {
        let (document, contentBytes) = shownRequest
        return AcceptedTask(values, session: session, .shown(document, contentBytes: contentBytes))
    }

    /// Returns the same task, which does not show some values that its attempts send.
    func hiding(_ hidden: HiddenValues) -> AcceptedTask {
        guard let prepared, !hidden.isEmpty else { return self }
        let document = RequestDocument.bytes(of: prepared, hiding: hidden)
        return AcceptedTask(values, session: session, .shown(document, contentBytes: prepared.bodySize ?? 0))
    }

    /// The member `request` of the task, and the number of bytes of the content.
    private var shownRequest: (document: [UInt8], contentBytes: Int64) {
        switch request {
        case .prepared(let prepared): (RequestDocument.bytes(of: prepared), prepared.bodySize ?? 0)
        case .shown(let document, let contentBytes): (document, contentBytes)
        }
    }

    /// Returns the same task with other content that the client has sent separately.
    func with(_ content: TaskContent) -> AcceptedTask {
        var values = values
        values.content = .arrived(content)
        return AcceptedTask(values, session: session, request)
    }

    /// Returns the same task with content that has arrived in the same request, and belongs to the payload of its key.
    func receiving(_ content: TaskContent) -> AcceptedTask {
        var values = values
        values.content = .arrived(content)
        if case .stored(_, let sha256) = content { values.claim = values.claim?.covering(contentSHA256: sha256) }
        return AcceptedTask(values, session: session, request)
    }

    /// Returns the same task with the claim of the request that creates it, in place of that of its document.
    func claimed(by claim: TaskClaim) -> AcceptedTask {
        var values = values
        values.claim = claim
        return AcceptedTask(values, session: session, request)
    }

    /// Returns the record to be stored: suspended, scheduled if its start is in the future, or queued.
    ///
    /// - Parameters:
    ///   - id: Its identifier. Identifiers only increase, so that its time is later than `now` after the clock was set
    ///     back: it determines the order of the queue, and nothing else.
    ///   - now: The time of day.
    ///   - clockOffset: The sum of the jumps of the clock up to then.
    func record(
        id: TaskID, at now: Timestamp, clockOffset: Duration, origin: Origin = Origin()
    ) -> TaskRecord {
        let start = values.times.start(at: now)
        let isEarly = start.map { $0 > now } ?? false
        let state: TaskState = values.startsSuspended ? .suspended : isEarly ? .scheduled : .queued
        let request = shownRequest
        var record = TaskRecord.Values(
            id: id, session: session, kind: values.kind, life: TaskLifecycle(state: state), priority: values.priority,
            createdAt: now, labels: values.labels,
            specification: TaskSpecification(
                task: values.document, request: request.document, contentBytes: request.contentBytes,
                callback: values.callback))
        record.notBefore = start
        record.isDelayed = values.times.delay != nil
        record.clockOffset = clockOffset
        record.readyAt = isEarly ? start ?? now : max(id.timestamp, now)
        record.deadline = values.times.deadline
        switch values.content {
        case .awaited: record.awaitContent(from: now)
        case .arrived(let content): record.content = content
        case nil: break
        }
        record.orderingKey = values.orderingKey
        record.bytesPerSecond = values.bytesPerSecond
        record.retryOf = origin.retryOf
        record.schedule = origin.schedule
        record.trace = origin.trace
        return TaskRecord(record)
    }
}
