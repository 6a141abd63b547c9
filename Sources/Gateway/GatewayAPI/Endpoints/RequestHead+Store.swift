import ErrandHTTPServer
import ErrandTaskStore
import HTTPTypes
import Logging

extension APIRequest {
    /// Runs `work` on the task of the route; returns 503 when the store fails.
    ///
    /// Notes the session of an unreadable task, which the caller may see if it gets the error.
    func taskResponse(
        _ logger: Logger, _ work: () async throws(TaskStoreError) -> ServerResponse
    ) async -> ServerResponse {
        await head.response(logger) { () async throws(TaskStoreError) in
            do throws(TaskStoreError) {
                return try await work()
            } catch {
                if let session = error.session { notes?.note(session: session) }
                throw error
            }
        }
    }
}

extension RequestHead {
    /// Runs `work`, which uses the store; returns 503 when the store fails, 400 when it cannot search by a filter.
    func response(
        _ logger: Logger, _ work: () async throws(TaskStoreError) -> ServerResponse
    ) async -> ServerResponse {
        do throws(TaskStoreError) {
            return try await work()
        } catch  where error.code == .tooManyReads {
            return response(.storeBusy, error.message, headers: [.retryAfter: "1"])
        } catch  where error.code == .timedOut {
            return response(.listTimeout, error.message)
        } catch  where error.code == .unsearchable {
            return response(.badParameter, error.message)
        } catch {
            logFailure(error, to: logger)
            return response(.storeUnavailable, error.message, headers: [.retryAfter: "1"])
        }
    }

    /// Logs an error of the store; a client that disconnected is not a fault of the store.
    func logFailure(_ error: TaskStoreError, to logger: Logger) {
        logger.log(
            level: error.code == .canceled ? .debug : .error, "The store failed a request",
            metadata: logged(["error": "\(error.debugDescription)"]))
    }

    /// Returns the values of a line of the log, with those that name the request.
    func logged(_ values: Logger.Metadata) -> Logger.Metadata {
        var metadata = values
        metadata["method"] = .string(method.rawValue)
        metadata["path"] = .string(target.path)
        if let requestID { metadata["request_id"] = .string(requestID) }
        return metadata
    }

    /// Returns 503: the store has failed to add a task, which is logged already.
    func notStored(_ error: TaskStoreError) -> ServerResponse {
        response(.storeUnavailable, error.message, headers: [.retryAfter: "1"])
    }
}
