import ErrandConfiguration
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
            await response(to: request.head, try await tasks.suspend(record), of: .suspend, from: tasks)
        }
    }

    func resume(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        try act(on: request) { tasks, record throws(TaskStoreError) in
            await response(to: request.head, try await tasks.resume(record), of: .resume, from: tasks)
        }
    }

    /// Starts a task next that waits for its start time or its next attempt; concurrency limits still apply.
    func runNow(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        try act(on: request) { tasks, record throws(TaskStoreError) in
            await response(to: request.head, try await tasks.runNow(record), of: .runNow, from: tasks)
        }
    }

    /// Returns the response to a command, with the details of the task.
    func response(
        to head: RequestHead, _ outcome: TaskCommandOutcome, of action: TaskAction, from tasks: TaskService
    ) async -> ServerResponse {
        guard case .done(let record, _) = outcome else { return response(to: head, outcome, of: action) }
        return response(to: head, outcome, of: action, details: await details(of: record, from: tasks, for: head))
    }

    /// Returns the details of a task after a change that is stored; none if they cannot be read.
    ///
    /// An error would tell the client that the change has failed. Not inlined, because its values would become a part of
    /// the frames of functions that suspend.
    @inline(never)
    func details(of record: TaskRecord, from tasks: TaskService, for head: RequestHead) async -> TaskDetails {
        guard tasks.showsDetails(record, .all) else { return TaskDetails() }
        do throws(TaskStoreError) {
            return try await tasks.details(of: record, .all)
        } catch {
            head.logFailure(error, to: logger)
            return TaskDetails()
        }
    }

    /// Returns the response to a command.
    private func response(
        to head: RequestHead, _ outcome: TaskCommandOutcome, of action: TaskAction,
        details: TaskDetails = TaskDetails()
    ) -> ServerResponse {
        switch outcome {
        case .done(let record, _):
            // A task that is still being canceled is canceled later.
            services.response(record, status: record.state == .canceling ? .accepted : .ok, details: details)
        case .refused(let record):
            head.response(.wrongState, action.refusal(of: record))
        case .preconditionFailed(let record):
            head.changedTask(record)
        case .invalid(_, let rejection):
            rejection.response(to: head, type: .invalidEdit)
        case .notFound:
            head.noSuchTask()
        }
    }

    // MARK: Cancel and delete

    func cancel(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        let id = try request.taskID
        let conditions = try Preconditions(request.head)
        return ActionOptions.admit(request.head, maxDepth: limits.maxDepth) { options in
            options.flag("keep_resume_data")
        } perform: { keepsFile in
            await perform(on: id, if: conditions, for: request) { tasks, record throws(TaskStoreError) in
                await response(
                    to: request.head, try await tasks.cancel(record, keepingPartialFile: keepsFile), of: .cancel,
                    from: tasks)
            }
        }
    }

    func delete(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        let head = request.head
        let id = try request.taskID
        let conditions = try Preconditions(head)
        return .deferred {
            let tasks = services.service(for: request.caller)
            return await request.taskResponse(logger) { () async throws(TaskStoreError) in
                guard let task = try await tasks.removable(id) else { return head.noSuchTask() }
                if let session = task.session { request.notes?.note(session: session) }
                if conditions.firstField != nil, let record = try await tasks.task(id),
                    !conditions.areMet(by: record.entityTag)
                {
                    return head.changedTask(record)
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
        on request: APIRequest, _ action: @escaping Action
    ) throws(RequestRefusal) -> RequestDisposition {
        let id = try request.taskID
        let conditions = try Preconditions(request.head)
        return ActionOptions.admit(request.head, maxDepth: limits.maxDepth) {
            await perform(on: id, if: conditions, for: request, action)
        }
    }

    /// Reads a task and performs an action on it; reports a task that the caller must not see as missing.
    ///
    /// - Parameter conditions: The preconditions that the task must meet when it is read; `nil` for none.
    func perform(
        on id: TaskID, if conditions: Preconditions? = nil, for request: APIRequest, _ action: Action
    ) async -> ServerResponse {
        let tasks = services.service(for: request.caller)
        return await request.taskResponse(logger) { () async throws(TaskStoreError) in
            guard let record = request.noting(try await tasks.task(id)) else { return request.head.noSuchTask() }
            guard conditions?.areMet(by: record.entityTag) ?? true else {
                return request.head.changedTask(record)
            }
            return try await action(tasks, record)
        }
    }
}
