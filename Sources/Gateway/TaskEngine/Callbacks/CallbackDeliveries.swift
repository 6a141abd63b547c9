import ErrandConfiguration
import ErrandJSON
import ErrandSessionCore
import ErrandTaskStore
import ErrandTime

/// Creates the callbacks of a task that has ended.
struct CallbackDeliveries: Sendable {
    /// The priority of callbacks, the default priority of tasks.
    private static let priority = 5

    private let sessions: SessionCatalog?
    private let ids: TaskIDGenerator

    /// Creates an instance.
    ///
    /// - Parameters:
    ///   - sessions: The sessions, to show the request as it will be sent; without them it is shown as the client wrote
    ///     it.
    ///   - ids: Generates the identifiers of callbacks.
    init(sessions: SessionCatalog? = nil, ids: TaskIDGenerator = TaskIDGenerator()) {
        self.sessions = sessions
        self.ids = ids
    }

    /// Returns the callbacks of a task that has ended: tasks of the kind `callback` that are stored together with its
    /// end.
    ///
    /// A callback has no callbacks of its own.
    ///
    /// - Parameters:
    ///   - record: The ended task.
    ///   - now: The time of its end.
    func deliveries(of record: TaskRecord, at now: Timestamp) -> [TaskRecord] {
        guard record.kind.handler.makesCallbacks,
            let callback = record.specification.callback.flatMap(CallbackSpecification.init),
            let end = CallbackSpecification.State(record.state), callback.states.contains(end)
        else { return [] }
        let id = ids.next()
        let message = CallbackMessage(id: id.description, url: callback.url, body: Self.body(of: record, at: now))
        let session = callback.session ?? SessionConfiguration.callbacksName
        return [delivery(id, of: message, through: session, about: record, at: now)]
    }

    /// Returns the message: the state and time of the end, and the task as lists show it.
    private static func body(of record: TaskRecord, at now: Timestamp) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", StoredEvent.Kind.state(record.state).name)
        writer.member("timestamp", (record.finishedAt ?? now).description)
        writer.member("data")
        TaskRenderer.write(record, live: LiveTaskState(), view: .listed, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private func delivery(
        _ id: TaskID, of message: CallbackMessage, through session: String, about task: TaskRecord, at now: Timestamp
    ) -> TaskRecord {
        var record = TaskRecord(
            id: id, session: session, kind: .callback, state: .queued, priority: Self.priority,
            createdAt: now, labels: [:],
            specification: TaskSpecification(
                task: message.document, request: shown(message, by: session), contentBytes: Int64(message.body.count)))
        record.change {
            $0.parent = task.id
            $0.trace = task.trace
            $0.clockOffset = task.clockOffset
        }
        return record
    }

    /// Returns the `request` member of a callback: as its session sends it, or as much as is known without the session.
    private func shown(_ message: CallbackMessage, by session: String) -> [UInt8] {
        if let session = sessions?[session] {
            do throws(RequestProblems) {
                return RequestDocument.bytes(of: try session.prepare(message.request))
            } catch {
                // The configuration has changed since the session checked the URL: the attempt will report the error.
            }
        }
        return RequestDocument.bytes(method: "POST", url: message.url, bodySize: message.body.count)
    }
}

extension RetryRule {
    /// The retry rule of callbacks; of the retry configuration of the session that sends them, only
    /// ``respectsRetryAfter`` applies.
    ///
    /// | after attempt | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |
    /// | --- | --- | --- | --- | --- | --- | --- | --- | --- |
    /// | pause | 5 s | 30 s | 2 min | 10 min | 1 h | 6 h | 24 h | it has failed |
    ///
    /// Each pause is up to a fifth shorter or longer, so that a recovering receiver does not get all messages at once.
    /// A receiver's `Retry-After` extends the pause, to a day at most. The status 410 means that the receiver wants no
    /// more messages. It ends the delivery at once, as do redirects and addresses that the session does not allow,
    /// because these do not change.
    static let callbacks = RetryRule(
        listed: [
            .seconds(5), .seconds(30), .seconds(120), .seconds(600), .seconds(3600), .seconds(6 * 3600),
            .seconds(24 * 3600),
        ], jitter: 0.2, final: [410])
}
