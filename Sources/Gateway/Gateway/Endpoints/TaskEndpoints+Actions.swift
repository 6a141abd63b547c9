import ErrandHTTPServer
import ErrandTaskStore
import HTTPTypes
import Logging

/// Actions on existing tasks.
extension TaskEndpoints {
    // MARK: Suspend and resume

    func suspend(_ request: APIRequest) -> RequestDisposition {
        act(on: request) { record throws(TaskStoreError) in
            response(to: request.head, try await dispatcher.suspend(record))
        }
    }

    func resume(_ request: APIRequest) -> RequestDisposition {
        act(on: request) { record throws(TaskStoreError) in
            response(to: request.head, try await dispatcher.resume(record))
        }
    }

    /// Starts a task next that waits for its start time or its next attempt; concurrency limits still apply.
    func runNow(_ request: APIRequest) -> RequestDisposition {
        act(on: request) { record throws(TaskStoreError) in
            response(to: request.head, try await dispatcher.runNow(record))
        }
    }

    /// Returns the response to a command.
    func response(to head: RequestHead, _ outcome: TaskCommandOutcome) -> ServerResponse {
        switch outcome {
        case .done(let record, _):
            // A task that is still being canceled is canceled later.
            response(record, status: record.state == .canceling ? .accepted : .ok)
        case .refused(let record):
            wrongState(head, record)
        case .preconditionFailed(let record):
            head.response(
                .preconditionFailed, "the task is at revision \(record.revision)",
                headers: [.eTag: record.entityTag.description])
        case .notFound:
            head.noSuchTask()
        }
    }

    func wrongState(_ head: RequestHead, _ record: TaskRecord) -> ServerResponse {
        let detail =
            switch record.state {
            case .succeeded, .failed: "the task already \(record.state.rawValue)"
            default: "the task is \(record.state.rawValue)"
            }
        return head.response(.wrongState, detail)
    }

    // MARK: Cancel and delete

    func cancel(_ request: APIRequest) -> RequestDisposition {
        let later = ["keep_resume_data": "download tasks are not available in this version"]
        return act(on: request, refusing: later) { record throws(TaskStoreError) in
            response(to: request.head, try await dispatcher.cancel(record))
        }
    }

    func delete(_ request: APIRequest) -> RequestDisposition {
        guard let id = request.taskID else { return .immediate(request.head.noSuchTask()) }
        return .deferred {
            await request.taskResponse(logger) { () async throws(TaskStoreError) in
                do throws(TaskStoreError) {
                    guard request.visible(try await dispatcher.task(id)) != nil else {
                        return request.head.noSuchTask()
                    }
                } catch {
                    // A corrupt task, or one sealed with a missing key, can be deleted.
                    guard error.code == .sealed || error.code == .corrupt, request.isVisible(unreadable: error)
                    else { throw error }
                }
                return try await dispatcher.delete(id)
                    ? ServerResponse(status: .noContent) : request.head.noSuchTask()
            }
        }
    }

    // MARK: The task

    /// An action on a task, which returns the response.
    typealias Action = @Sendable (TaskRecord) async throws(TaskStoreError) -> ServerResponse

    /// Admits a request without options.
    private func act(
        on request: APIRequest, refusing refused: [String: String] = [:], _ action: @escaping Action
    ) -> RequestDisposition {
        guard let id = request.taskID else { return .immediate(request.head.noSuchTask()) }
        return ActionOptions.admit(request.head, refusing: refused) { await perform(on: id, for: request, action) }
    }

    /// Performs an action on a task that the caller may see; reports others as missing.
    ///
    /// The session of a task never changes, so the check stays valid during the action.
    func perform(on id: TaskID, for request: APIRequest, _ action: Action) async -> ServerResponse {
        await request.taskResponse(logger) { () async throws(TaskStoreError) in
            guard let record = request.visible(try await dispatcher.task(id)) else { return request.head.noSuchTask() }
            return try await action(record)
        }
    }
}
