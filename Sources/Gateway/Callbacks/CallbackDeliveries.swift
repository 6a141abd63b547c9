import Configuration
import JSON
import SessionCore
import TaskStore

/// What is to be delivered when a task has reached its end.
struct CallbackDeliveries: Sendable {
    /// That of tasks which ask for none.
    private static let priority = 5

    private let sessions: SessionCatalog?
    private let ids: TaskIDGenerator

    /// Creates what makes deliveries.
    ///
    /// - Parameters:
    ///   - sessions: Show what they will send; without them it is shown as it was asked for.
    ///   - ids: Give deliveries their identifiers.
    init(sessions: SessionCatalog? = nil, ids: TaskIDGenerator = TaskIDGenerator()) {
        self.sessions = sessions
        self.ids = ids
    }

    /// The deliveries that a task's end asks for: tasks of the kind `callback` that are stored together with it.
    ///
    /// Deliveries have none of their own.
    ///
    /// - Parameters:
    ///   - record: The task, done.
    ///   - now: When it was done.
    func deliveries(of record: TaskRecord, at now: Timestamp) -> [TaskRecord] {
        guard record.kind != .callback,
            let callback = record.specification.callback.flatMap(CallbackSpecification.init),
            let end = CallbackSpecification.State(record.state), callback.states.contains(end)
        else { return [] }
        let id = ids.next()
        let message = CallbackMessage(id: id.description, url: callback.url, body: Self.body(of: record, at: now))
        let session = callback.session ?? SessionConfiguration.callbacksName
        return [delivery(id, of: message, through: session, about: record.id, at: now)]
    }

    /// What is told: the end that the task has reached, when, and the task as lists show it.
    private static func body(of record: TaskRecord, at now: Timestamp) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type")
        writer.string(StoredEvent.Kind.state(record.state).name)
        writer.member("timestamp")
        writer.string((record.finishedAt ?? now).description)
        writer.member("data")
        TaskRenderer.write(record, live: LiveTaskState(), view: .listed, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private func delivery(
        _ id: TaskID, of message: CallbackMessage, through session: String, about task: TaskID, at now: Timestamp
    ) -> TaskRecord {
        var record = TaskRecord(
            id: id, session: session, kind: .callback, state: .queued, priority: Self.priority,
            createdAt: now, labels: [:],
            specification: TaskSpecification(
                task: message.document, request: shown(message, by: session), contentBytes: Int64(message.body.count)))
        record.parent = task
        return record
    }

    /// The `request` member of a delivery: as its session shows what it sends, or as much of it as is known without.
    private func shown(_ message: CallbackMessage, by session: String) -> [UInt8] {
        if let session = sessions?[session] {
            do throws(RequestProblems) {
                return RequestDocument.bytes(of: try session.prepare(message.request))
            } catch {
                // The session has other rules than when it judged the URL: the attempt will tell.
            }
        }
        return RequestDocument.bytes(method: "POST", url: message.url, bodySize: message.body.count)
    }
}
