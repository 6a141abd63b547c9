import HTTPServer
import HTTPTypes
import Logging
import TaskStore

/// What clients do to tasks that exist.
extension TaskEndpoints {
    // MARK: Suspend and resume

    func suspend(_ head: RequestHead, _ parameters: RouteParameters) -> HTTPServer.Admission {
        guard let id = TaskID(parameters) else { return .answer(head.answer(.noSuchTask)) }
        return ActionOptions.admit(head) {
            await head.answer(logger) { () async throws(TaskStoreError) in
                answer(to: head, try await dispatcher.suspend(id))
            }
        }
    }

    func resume(_ head: RequestHead, _ parameters: RouteParameters) -> HTTPServer.Admission {
        guard let id = TaskID(parameters) else { return .answer(head.answer(.noSuchTask)) }
        return ActionOptions.admit(head) {
            await head.answer(logger) { () async throws(TaskStoreError) in
                answer(to: head, try await dispatcher.resume(id))
            }
        }
    }

    private func answer(to head: RequestHead, _ step: Dispatcher.StepAnswer) -> ServerResponse {
        switch step {
        case .done(let record): answer(record, status: .ok)
        case .refused(let record): wrongState(head, record)
        case .notFound: head.answer(.noSuchTask)
        }
    }

    private func wrongState(_ head: RequestHead, _ record: TaskRecord) -> ServerResponse {
        let detail =
            switch record.state {
            case .succeeded, .failed: "the task has already \(record.state.rawValue)"
            default: "the task is \(record.state.rawValue)"
            }
        return head.answer(.wrongState, detail)
    }

    // MARK: Cancel and delete

    func cancel(_ head: RequestHead, _ parameters: RouteParameters) -> HTTPServer.Admission {
        guard let id = TaskID(parameters) else { return .answer(head.answer(.noSuchTask)) }
        let later = ["keep_resume_data": "download tasks are not available in this version"]
        return ActionOptions.admit(head, refusing: later) { await cancel(head, id) }
    }

    private func cancel(_ head: RequestHead, _ id: TaskID) async -> ServerResponse {
        await head.answer(logger) { () async throws(TaskStoreError) in
            switch try await dispatcher.cancel(id) {
            case .canceled(let record):
                logger.info("Task canceled", metadata: ["task": "\(id)", "request_id": "\(head.requestID ?? "")"])
                return answer(record, status: .ok)
            case .canceling(let record):
                return answer(record, status: .accepted)
            case .tooLate(let record):
                return wrongState(head, record)
            case .notFound:
                return head.answer(.noSuchTask)
            }
        }
    }

    func delete(_ head: RequestHead, _ parameters: RouteParameters) -> HTTPServer.Admission {
        guard let id = TaskID(parameters) else { return .answer(head.answer(.noSuchTask)) }
        return .bodyless {
            await head.answer(logger) { () async throws(TaskStoreError) in
                guard try await dispatcher.delete(id) else { return head.answer(.noSuchTask) }
                logger.info("Task deleted", metadata: ["task": "\(id)", "request_id": "\(head.requestID ?? "")"])
                return ServerResponse(status: .noContent)
            }
        }
    }
}
