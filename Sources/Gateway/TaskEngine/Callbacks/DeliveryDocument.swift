import ErrandJSON
import ErrandTaskStore

/// The `delivery` member of a task's callback: what has become of its message.
enum DeliveryDocument {
    /// The state of a message, from the point of view of the task that it is about.
    enum State: String, Sendable, CaseIterable {
        /// It was not delivered yet.
        case pending
        /// The receiver has accepted it.
        case delivered
        /// It was not delivered, and no other attempt follows.
        case failed

        /// Creates the state of a delivery from that of its task.
        init(_ state: TaskState) {
            switch state {
            case .scheduled, .queued, .running, .waiting, .suspended, .canceling: self = .pending
            case .succeeded: self = .delivered
            case .failed, .canceled: self = .failed
            }
        }
    }

    /// Writes a delivery as a JSON object.
    static func write(_ delivery: TaskRecord, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", delivery.id)
        writer.member("state", State(delivery.state).rawValue)
        writer.member("attempts", delivery.attemptCount)
        writer.member("next_attempt_at", delivery.nextAttemptAt)
        writer.member("error")
        writer.raw(delivery.result.error ?? lastError(of: delivery.result))
        writer.endObject()
    }

    /// Returns the error of the last attempt; `nil` if it had none.
    private static func lastError(of result: TaskResult) -> [UInt8]? {
        guard let document = result.attemptsDocument, let error = document.root.array?.last?.object?["error"],
            !error.isNull
        else { return nil }
        return Array(document.slice(of: error))
    }
}
