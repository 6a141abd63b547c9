import HTTPServer
import HTTPTypes
import Logging
import TaskStore

extension APIRequest {
    /// The answer that `work` makes with the task that the route names; a 503 when the store fails it.
    ///
    /// A task that cannot be read, of a session that the caller must not see, is not there for him.
    func answerAboutTask(
        _ logger: Logger, _ work: () async throws(TaskStoreError) -> ServerResponse
    ) async -> ServerResponse {
        await head.answer(logger) { () async throws(TaskStoreError) in
            do throws(TaskStoreError) {
                return try await work()
            } catch {
                guard error.session != nil, !isVisible(unreadable: error) else { throw error }
                return head.answer(.noSuchTask)
            }
        }
    }
}

extension RequestHead {
    /// The answer that `work` makes with the store; a 503 when the store fails it.
    func answer(
        _ logger: Logger, _ work: () async throws(TaskStoreError) -> ServerResponse
    ) async -> ServerResponse {
        do throws(TaskStoreError) {
            return try await work()
        } catch {
            logger.error(
                "The store failed a request",
                metadata: ["error": "\(error.debugDescription)", "request_id": "\(requestID ?? "")"])
            return answer(.storeUnavailable, error.message, headers: [.retryAfter: "1"])
        }
    }
}
