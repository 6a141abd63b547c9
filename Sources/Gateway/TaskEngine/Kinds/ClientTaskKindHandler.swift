import ErrandJSON
import ErrandSessionCore
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes

/// The handler of a kind whose tasks clients create: a request that a document describes.
///
/// By default the request is that of the document, and its repetition follows its method and the session's settings.
protocol ClientTaskKindHandler: TaskKindHandler {
    /// Reads the members of a client's document that make the request; the other members are common to all kinds.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - document: The document that contains it.
    ///   - session: The session of the task; `nil` if the document names none that exists.
    ///   - problems: Collects the errors of the members.
    func read(
        _ task: inout JSONObjectReader, of document: JSONDocument, for session: Session?, _ problems: JSONProblems
    ) -> TaskRequest

    /// Returns true if the client sends the content of the request separately, after the task.
    ///
    /// Default: false.
    func awaitsContent(_ request: TaskRequest) -> Bool
}

extension ClientTaskKindHandler {
    func awaitsContent(_ request: TaskRequest) -> Bool { false }

    func request(
        of record: TaskRecord, sessions: SessionCatalog, _ storage: ContentStorage, now: @Sendable () -> Timestamp
    ) async throws(SessionError) -> TaskRequest {
        try TaskDocuments.request(of: record.specification)
    }

    func retryOverrides(of record: TaskRecord) throws(SessionError) -> RetryOverrides {
        try TaskDocuments.retry(of: record.specification)
    }

    func retryRule(under configuration: RetryConfiguration) -> RetryRule {
        RetryRule(configuration)
    }

    func mayResend(_ record: TaskRecord, under configuration: RetryConfiguration) -> Bool {
        guard record.attemptCount < configuration.maxAttempts else { return false }
        return switch configuration.afterCrash {
        case .fail: false
        case .resend: true
        case .safe:
            configuration.methods.contains(TaskDocuments.method(of: record.specification))
                || TaskDocuments.carriesIdempotencyKey(record.specification)
        }
    }

    func mayBeginAnew(_ record: TaskRecord) -> Bool {
        TaskDocuments.method(of: record.specification).isIdempotent
    }

    var makesCallbacks: Bool { true }

    func repetition(
        of record: TaskRecord, overrides: JSONDocument?, key: IdempotencyKey?, by decoder: TaskDecoder,
        ids: TaskIDGenerator
    ) async throws(TaskRejection) -> TaskRepetition {
        .decoded(try await TaskRepeat(decoder: decoder).accept(record, overrides: overrides, key: key))
    }
}
