import HTTPServer
import HTTPTypes
import Logging
import TaskStore

/// What clients do to tasks that exist.
extension TaskEndpoints {
    // MARK: Suspend and resume

    func suspend(_ request: APIRequest) -> HTTPServer.Admission {
        act(on: request) { id throws(TaskStoreError) in
            answer(to: request.head, try await dispatcher.suspend(id))
        }
    }

    func resume(_ request: APIRequest) -> HTTPServer.Admission {
        act(on: request) { id throws(TaskStoreError) in
            answer(to: request.head, try await dispatcher.resume(id))
        }
    }

    /// A task that waits for its time, or for the next attempt, is started next; limits still hold.
    func runNow(_ request: APIRequest) -> HTTPServer.Admission {
        act(on: request) { id throws(TaskStoreError) in
            answer(to: request.head, try await dispatcher.runNow(id))
        }
    }

    private func answer(to head: RequestHead, _ step: Dispatcher.StepAnswer) -> ServerResponse {
        switch step {
        case .done(let record): answer(record, status: .ok)
        case .refused(let record): wrongState(head, record)
        case .notFound: head.answer(.noSuchTask)
        }
    }

    func wrongState(_ head: RequestHead, _ record: TaskRecord) -> ServerResponse {
        let detail =
            switch record.state {
            case .succeeded, .failed: "the task has already \(record.state.rawValue)"
            default: "the task is \(record.state.rawValue)"
            }
        return head.answer(.wrongState, detail)
    }

    // MARK: Cancel and delete

    func cancel(_ request: APIRequest) -> HTTPServer.Admission {
        let later = ["keep_resume_data": "download tasks are not available in this version"]
        return act(on: request, refusing: later) { id throws(TaskStoreError) in
            switch try await dispatcher.cancel(id) {
            case .canceled(let record): answer(record, status: .ok)
            case .canceling(let record): answer(record, status: .accepted)
            case .tooLate(let record): wrongState(request.head, record)
            case .notFound: request.head.answer(.noSuchTask)
            }
        }
    }

    func delete(_ request: APIRequest) -> HTTPServer.Admission {
        guard let id = request.taskID else { return .answer(request.head.answer(.noSuchTask)) }
        return .bodyless {
            await perform(on: id, request, evenUnreadable: true) { id throws(TaskStoreError) in
                try await dispatcher.delete(id)
                    ? ServerResponse(status: .noContent) : request.head.answer(.noSuchTask)
            }
        }
    }

    // MARK: The task

    /// Does what is done to a task, and is answered with it, to the task of a request.
    typealias Action = @Sendable (TaskID) async throws(TaskStoreError) -> ServerResponse

    /// Admits a call that takes no options.
    private func act(
        on request: APIRequest, refusing refused: [String: String] = [:], _ action: @escaping Action
    ) -> HTTPServer.Admission {
        guard let id = request.taskID else { return .answer(request.head.answer(.noSuchTask)) }
        return ActionOptions.admit(request.head, refusing: refused) { await perform(on: id, request, action) }
    }

    /// Nothing is done to a task that the caller must not see, and he is told that there is none.
    ///
    /// The session of a task never changes, so that what is true before is true while it is done.
    ///
    /// - Parameter evenUnreadable: It can be done to a task that is damaged, or sealed with a key that is missing.
    func perform(
        on id: TaskID, _ request: APIRequest, evenUnreadable: Bool = false, _ action: Action
    ) async -> ServerResponse {
        await request.answerAboutTask(logger) { () async throws(TaskStoreError) in
            do throws(TaskStoreError) {
                guard request.visible(try await dispatcher.task(id)) != nil else {
                    return request.head.answer(.noSuchTask)
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
