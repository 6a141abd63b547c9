import JSON
package import SessionCore
import TaskStore

/// A task that a client may create: judged, and its request prepared.
package struct AcceptedTask: Sendable {
    /// The name of the session that has prepared it.
    package let session: String
    var priority: Int
    var labels: [String: String]
    /// It waits for a client to let it go.
    var startsSuspended: Bool
    var times: TaskTimes
    var orderingKey: String?
    /// What its client wants to be told when it is done, as it is stored.
    var callback: [UInt8]?
    /// What its client knows it by.
    var claim: TaskClaim?
    /// The document to be stored, from which attempts are prepared.
    var document: [UInt8]
    /// What the session will send.
    package let prepared: PreparedRequest

    /// Where a task comes from when nobody has written it just now.
    struct Origin: Sendable, Hashable {
        /// The task that it repeats at a client's wish.
        var retryOf: TaskID?
        /// The name of the schedule that makes it.
        var schedule: String?

        /// Creates an origin; of a client by default.
        init(retryOf: TaskID? = nil, schedule: String? = nil) {
            self.retryOf = retryOf
            self.schedule = schedule
        }
    }

    /// The task as it is to be stored: suspended, scheduled when its time is to come, or queued.
    ///
    /// - Parameter id: Its identifier, whose time is that of its creation.
    func record(id: TaskID, origin: Origin = Origin()) -> TaskRecord {
        let now = id.timestamp
        let isEarly = times.notBefore.map { $0 > now } ?? false
        var record = TaskRecord(
            id: id, session: session, kind: .data, state: startsSuspended ? .suspended : isEarly ? .scheduled : .queued,
            priority: priority, createdAt: now, labels: labels,
            specification: TaskSpecification(
                task: document, request: RequestDocument.bytes(of: prepared), contentBytes: prepared.bodySize ?? 0,
                callback: callback))
        record.notBefore = times.notBefore
        record.readyAt = max(times.notBefore ?? now, now)
        record.deadline = times.deadline
        record.orderingKey = orderingKey
        record.retryOf = origin.retryOf
        record.schedule = origin.schedule
        return record
    }
}
