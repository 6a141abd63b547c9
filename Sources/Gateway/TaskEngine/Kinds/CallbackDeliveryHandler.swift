import ErrandJSON
import ErrandSessionCore
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime
import ErrandTransfer

/// The handler of the kind `callback`: the delivery of a message about the end of another task.
///
/// Its receiver recognizes a repeated message by the identifier of the message, so a delivery may always be sent again.
struct CallbackDeliveryHandler: TaskKindHandler {
    func request(
        of record: TaskRecord, sessions: SessionCatalog, _ storage: ContentStorage, now: @Sendable () -> Timestamp
    ) async throws(SessionError) -> TaskRequest {
        try CallbackRequest.request(of: record, sessions.callbacks.configuration, at: now())
    }

    var hasDestinations: Bool { true }

    /// Returns the origin of the receiver if the session has no upstream of its own.
    func destination(of record: TaskRecord, sessions: SessionCatalog) -> Admission.DestinationKey? {
        guard sessions.configuration(of: record.session)?.baseURL == nil else { return nil }
        // A message that cannot be read, or has an invalid URL, fails when it is sent.
        guard let message = try? CallbackMessage(document: record.specification.task),
            let url = try? HTTPURL(message.url)
        else { return nil }
        return Admission.DestinationKey(session: record.session, origin: url.origin.description)
    }

    /// Returns no differences: the document of a delivery is a message, without settings.
    func retryOverrides(of record: TaskRecord) -> RetryOverrides { RetryOverrides() }

    /// Returns ``RetryRule/callbacks``, whatever the session's configuration is.
    func retryRule(under configuration: RetryConfiguration) -> RetryRule {
        var rule = RetryRule.callbacks
        rule.respectsRetryAfter = configuration.respectsRetryAfter
        return rule
    }

    func mayResend(_ record: TaskRecord, under configuration: RetryConfiguration) -> Bool { true }

    func mayBeginAnew(_ record: TaskRecord) -> Bool { true }

    var makesCallbacks: Bool { false }

    /// Returns a task that delivers the same message, with the same identifier of the message.
    ///
    /// - Throws: An error for a member that is to be replaced, or if the overrides are not an object.
    func repetition(
        of record: TaskRecord, overrides: JSONDocument?, key: IdempotencyKey?, by decoder: TaskDecoder,
        ids: TaskIDGenerator
    ) async throws(TaskRejection) -> TaskRepetition {
        if let member = try overrides?.checkedObject().members.first {
            throw .invalid([
                JSONProblem(JSONPointer([member.key]), "a callback delivery is retried unchanged; remove this member")
            ])
        }
        var copy = TaskRecord(
            id: ids.next(), session: record.session, kind: record.kind, state: .queued, priority: record.priority,
            createdAt: decoder.now(), labels: record.labels, specification: record.specification)
        copy.change {
            $0.bytesPerSecond = record.bytesPerSecond
            $0.parent = record.parent
            $0.retryOf = record.id
            $0.trace = record.trace
        }
        return .copied(copy)
    }
}
