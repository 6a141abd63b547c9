import ErrandHTTPServer
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes
import Logging

/// Actions on existing tasks.
extension TaskEndpoints {
    // MARK: Suspend and resume

    func suspend(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        try act(on: request) { tasks, record throws(TaskStoreError) in
            response(to: request.head, try await tasks.suspend(record))
        }
    }

    func resume(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        try act(on: request) { tasks, record throws(TaskStoreError) in
            response(to: request.head, try await tasks.resume(record))
        }
    }

    /// Starts a task next that waits for its start time or its next attempt; concurrency limits still apply.
    func runNow(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        try act(on: request) { tasks, record throws(TaskStoreError) in
            response(to: request.head, try await tasks.runNow(record))
        }
    }

    /// Returns the response to a command.
    func response(to head: RequestHead, _ outcome: TaskCommandOutcome) -> ServerResponse {
        switch outcome {
        case .done(let record, _):
            // A task that is still being canceled is canceled later.
            services.response(record, status: record.state == .canceling ? .accepted : .ok)
        case .refused(let record):
            head.response(.wrongState, record.stateDetail)
        case .preconditionFailed(let record):
            head.response(
                .preconditionFailed, "the task is at revision \(record.revision)",
                headers: [.eTag: record.entityTag.description])
        case .notFound:
            head.noSuchTask()
        }
    }

    // MARK: Cancel and delete

    func cancel(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        let later = ["keep_resume_data": "a cancellation removes the partial file in this version; remove this member"]
        return try act(on: request, refusing: later) { tasks, record throws(TaskStoreError) in
            response(to: request.head, try await tasks.cancel(record))
        }
    }

    func delete(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        let head = request.head
        let id = try request.taskID
        let condition = try EntityTagCondition.read(.ifMatch, of: head)
        return .deferred {
            let tasks = services.service(for: request.caller)
            return await request.taskResponse(logger) { () async throws(TaskStoreError) in
                guard let task = try await tasks.removable(id) else { return head.noSuchTask() }
                if let session = task.session { request.notes.note(session: session) }
                if let condition, let record = try await tasks.task(id), !record.meets(condition) {
                    return response(to: head, .preconditionFailed(record))
                }
                return try await tasks.delete(task) ? ServerResponse(status: .noContent) : head.noSuchTask()
            }
        }
    }

    // MARK: The task

    /// An action on a task that was read for the caller; returns the response.
    typealias Action = @Sendable (TaskService, TaskRecord) async throws(TaskStoreError) -> ServerResponse

    /// Admits a request without options.
    private func act(
        on request: APIRequest, refusing refused: [String: String] = [:], _ action: @escaping Action
    ) throws(RequestRefusal) -> RequestDisposition {
        let id = try request.taskID
        let condition = try EntityTagCondition.read(.ifMatch, of: request.head)
        return ActionOptions.admit(request.head, refusing: refused) {
            await perform(on: id, if: condition, for: request, action)
        }
    }

    /// Reads a task and performs an action on it; reports a task that the caller must not see as missing.
    ///
    /// - Parameter condition: The condition that the task must meet when it is read; `nil` for none.
    func perform(
        on id: TaskID, if condition: EntityTagCondition? = nil, for request: APIRequest, _ action: Action
    ) async -> ServerResponse {
        let tasks = services.service(for: request.caller)
        return await request.taskResponse(logger) { () async throws(TaskStoreError) in
            guard let record = request.noting(try await tasks.task(id)) else { return request.head.noSuchTask() }
            guard record.meets(condition) else { return response(to: request.head, .preconditionFailed(record)) }
            return try await action(tasks, record)
        }
    }
}

extension TaskRecord {
    /// Returns true if `If-Match` holds for this revision of the task, or is not given.
    func meets(_ condition: EntityTagCondition?) -> Bool {
        condition?.matchesStrongly(entityTag) ?? true
    }
}
