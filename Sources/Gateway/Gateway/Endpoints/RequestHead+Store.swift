import ErrandHTTPServer
import ErrandTaskStore
import HTTPTypes
import Logging

extension APIRequest {
    /// Runs `work` on the task of the route; returns 503 when the store fails.
    ///
    /// An unreadable task of a session that the caller must not see is reported as missing.
    func taskResponse(
        _ logger: Logger, _ work: () async throws(TaskStoreError) -> ServerResponse
    ) async -> ServerResponse {
        await head.response(logger) { () async throws(TaskStoreError) in
            do throws(TaskStoreError) {
                return try await work()
            } catch {
                guard error.session != nil, !isVisible(unreadable: error) else { throw error }
                return head.noSuchTask()
            }
        }
    }
}

extension RequestHead {
    /// Runs `work`, which uses the store; returns 503 when the store fails.
    func response(
        _ logger: Logger, _ work: () async throws(TaskStoreError) -> ServerResponse
    ) async -> ServerResponse {
        do throws(TaskStoreError) {
            return try await work()
        } catch  where error.code == .tooManyReads {
            return response(.storeBusy, error.message, headers: [.retryAfter: "1"])
        } catch  where error.code == .timedOut {
            return response(.listTimeout, error.message)
        } catch {
            // A client that disconnected is not a fault of the store.
            logger.log(
                level: error.code == .canceled ? .debug : .error, "The store failed a request",
                metadata: ["error": "\(error.debugDescription)", "request_id": "\(requestID ?? "")"])
            return response(.storeUnavailable, error.message, headers: [.retryAfter: "1"])
        }
    }
}
