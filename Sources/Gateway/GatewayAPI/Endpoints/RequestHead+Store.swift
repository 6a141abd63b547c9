import ErrandHTTPServer
import ErrandTaskEngine
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
    /// Runs `work`, which uses the store, and returns its response, or that to its error.
    ///
    /// An error is a 503 if the store fails, a 400 if it cannot search by a filter or the client has left, and a 409 if
    /// a task that is to be deleted has not ended yet.
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
        } catch  where error.code == .stillCanceling {
            return response(
                .wrongState, "the task is canceling; delete it again when it has ended", headers: [.retryAfter: "1"])
        } catch  where error.code == .canceled {
            logFailure(error, to: logger)
            return canceled("the request was canceled")
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

    /// Returns 400: the client has closed its sending side, and the request was canceled.
    ///
    /// A client that has closed the whole connection reads no response.
    ///
    /// - Parameter effect: The consequence, as in `the request was canceled`.
    func canceled(_ effect: String) -> ServerResponse {
        response(.clientLeft, "the client closed its sending side before the response; \(effect)")
    }

    /// Returns 503: the gateway is stopping, and the next process accepts the same request.
    func stopping(_ detail: String) -> ServerResponse {
        response(.stopping, detail, headers: [.retryAfter: "\(TaskCreationOutcome.Refusal.secondsToSuccessor)"])
    }

    /// Returns 503: the store has failed to add a task, which is logged already.
    func notStored(_ error: TaskStoreError) -> ServerResponse {
        response(.storeUnavailable, error.message, headers: [.retryAfter: "\(Self.secondsToStore)"])
    }

    /// The seconds after which a client may ask again when the store has failed to add a task.
    fileprivate static let secondsToStore = 1
}

extension ProblemDetails {
    /// Returns the problem of an item of a batch that the store has failed to add, which is logged already.
    static func notStored(_ error: TaskStoreError) -> ProblemDetails {
        ProblemDetails(.storeUnavailable, detail: error.message).retryable(afterSeconds: RequestHead.secondsToStore)
    }
}
