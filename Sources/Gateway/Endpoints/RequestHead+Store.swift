import HTTPServer
import HTTPTypes
import Logging
import TaskStore

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
