import ErrandJSON
import ErrandSessionCore
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes

/// The handler of the kind `data`: a request, as its client has described it.
struct DataTaskHandler: ClientTaskKindHandler {
    func read(
        _ task: inout JSONObjectReader, of document: JSONDocument, for session: Session?, _ problems: JSONProblems
    ) -> TaskRequest {
        TaskRequestReader(document: document).read(&task, problems)
    }

    func request(
        of record: TaskRecord, sessions: SessionCatalog, _ places: ContentPlaces, now: @Sendable () -> Timestamp
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
