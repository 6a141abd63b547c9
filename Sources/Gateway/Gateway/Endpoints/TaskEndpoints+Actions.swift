import ErrandHTTPServer
import ErrandTaskStore
import HTTPTypes
import Logging

/// Actions on existing tasks.
extension TaskEndpoints {
    // MARK: Suspend and resume

    func suspend(_ request: APIRequest) -> RequestDisposition {
        act(on: request) { id throws(TaskStoreError) in
            response(to: request.head, try await dispatcher.suspend(id))
        }
    }

    func resume(_ request: APIRequest) -> RequestDisposition {
        act(on: request) { id throws(TaskStoreError) in
            response(to: request.head, try await dispatcher.resume(id))
        }
    }

    /// Starts a task next that waits for its start time or its next attempt; concurrency limits still apply.
    func runNow(_ request: APIRequest) -> RequestDisposition {
        act(on: request) { id throws(TaskStoreError) in
            response(to: request.head, try await dispatcher.runNow(id))
        }
    }

    private func response(to head: RequestHead, _ step: Dispatcher.StepAnswer) -> ServerResponse {
        switch step {
        case .done(let record): response(record, status: .ok)
        case .refused(let record): wrongState(head, record)
        case .notFound: head.noSuchTask()
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
        return act(on: request, refusing: later) { id throws(TaskStoreError) in
            switch try await dispatcher.cancel(id) {
            case .canceled(let record): response(record, status: .ok)
            case .canceling(let record): response(record, status: .accepted)
            case .tooLate(let record): wrongState(request.head, record)
            case .notFound: request.head.noSuchTask()
            }
        }
    }

    func delete(_ request: APIRequest) -> RequestDisposition {
        guard let id = request.taskID else { return .immediate(request.head.noSuchTask()) }
        return .deferred {
            await perform(on: id, for: request, evenUnreadable: true) { id throws(TaskStoreError) in
                try await dispatcher.delete(id)
                    ? ServerResponse(status: .noContent) : request.head.noSuchTask()
            }
        }
    }

    // MARK: The task

    /// An action on a task, which returns the response.
    typealias Action = @Sendable (TaskID) async throws(TaskStoreError) -> ServerResponse

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
    ///
    /// - Parameter evenUnreadable: True if the action also works for a corrupt task, or one sealed with a missing key.
    func perform(
        on id: TaskID, for request: APIRequest, evenUnreadable: Bool = false, _ action: Action
    ) async -> ServerResponse {
        await request.taskResponse(logger) { () async throws(TaskStoreError) in
            do throws(TaskStoreError) {
                guard request.visible(try await dispatcher.task(id)) != nil else {
                    return request.head.noSuchTask()
                }
            } catch {
                guard evenUnreadable, error.code == .sealed || error.code == .corrupt,
                    request.isVisible(unreadable: error)
                else { throw error }
            }
            return try await action(id)
        }
    }
}
