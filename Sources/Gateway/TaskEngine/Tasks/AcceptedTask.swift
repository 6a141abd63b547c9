import ErrandJSON
package import ErrandSessionCore
import ErrandTaskStore
import ErrandTime

/// A checked task with its prepared request.
///
/// A reference, because the functions that hand it on suspend: each of them would keep a copy of its many values.
package final class AcceptedTask: Sendable {
    /// The name of the session that has prepared it.
    package let session: String
    let kind: TaskKind
    let priority: Int
    let labels: [String: String]
    /// True if the task is created suspended, until a client resumes it.
    let startsSuspended: Bool
    let times: TaskTimes
    let orderingKey: String?
    /// The callback about its end, as it is stored.
    let callback: [UInt8]?
    /// The idempotency key and payload of the request that creates it.
    let claim: TaskClaim?
    /// The document to be stored, from which attempts are prepared.
    let document: [UInt8]
    /// The content that the client sends separately; `nil` if the document has all of it.
    let content: TaskContent?
    /// The request that the session will send; without its content if the client sends that separately.
    package let prepared: PreparedRequest

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

    /// Creates a task.
    init(
        session: String, kind: TaskKind, priority: Int, labels: [String: String], startsSuspended: Bool,
        times: TaskTimes, orderingKey: String?, callback: [UInt8]?, claim: TaskClaim?, document: [UInt8],
        content: TaskContent?, prepared: PreparedRequest
    ) {
        self.session = session
        self.kind = kind
        self.priority = priority
        self.labels = labels
        self.startsSuspended = startsSuspended
        self.times = times
        self.orderingKey = orderingKey
        self.callback = callback
        self.claim = claim
        self.document = document
        self.content = content
        self.prepared = prepared
    }

    /// Returns the same task with other content that the client has sent separately.
    func with(_ content: TaskContent?) -> AcceptedTask {
        AcceptedTask(
            session: session, kind: kind, priority: priority, labels: labels, startsSuspended: startsSuspended,
            times: times, orderingKey: orderingKey, callback: callback, claim: claim, document: document,
            content: content, prepared: prepared)
    }

    /// Returns the record to be stored: suspended, scheduled if its start is in the future, or queued.
    ///
    /// - Parameters:
    ///   - id: Its identifier. Identifiers only increase, so that its time is later than `now` after the clock was set
    ///     back: it determines the order of the queue, and nothing else.
    ///   - now: The time of day.
    func record(id: TaskID, at now: Timestamp, origin: Origin = Origin()) -> TaskRecord {
        let isEarly = times.notBefore.map { $0 > now } ?? false
        let isIncomplete = content?.awaitedUntil != nil
        let state: TaskState = startsSuspended ? .suspended : isEarly || isIncomplete ? .scheduled : .queued
        var values = TaskRecord.Values(
            id: id, session: session, kind: kind, life: TaskLifecycle(state: state), priority: priority,
            createdAt: now, labels: labels,
            specification: TaskSpecification(
                task: document, request: RequestDocument.bytes(of: prepared), contentBytes: prepared.bodySize ?? 0,
                callback: callback))
        values.notBefore = times.notBefore
        values.isDelayed = times.isDelay
        values.readyAt = isEarly ? times.notBefore ?? now : max(id.timestamp, now)
        values.deadline = times.deadline
        values.content = content
        values.orderingKey = orderingKey
        values.retryOf = origin.retryOf
        values.schedule = origin.schedule
        values.trace = origin.trace
        return TaskRecord(values)
    }
}
