import ErrandConfiguration
import ErrandHTTPServer
import ErrandSessionCore
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes

/// `POST /v1/tasks/{id}/retry`: creates a finished task anew.
extension TaskEndpoints {
    /// Admits a retry, optionally with members that replace those of the old task.
    func retry(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        let head = request.head
        let id = try request.taskID
        let conditions = try Preconditions(head)
        if let field = conditions.firstField, head.headers[.idempotencyKey] != nil {
            // The retry changes the task, so that its repetition would not meet the condition.
            throw .field(
                field, "expected no \(field) with an Idempotency-Key, which already prevents a second retry")
        }
        return try collectTask(of: head) { body, key, wait in
            if !body.isEmpty, let refusal = JSONContent.refusal(of: head, isOptional: true) {
                return .immediate(refusal.response(to: head))
            }
            return .deferred {
                await retry(id, if: conditions, for: request, overrides: body, key: key, wait: wait)
            }
        }
    }

    private func retry(
        _ id: TaskID, if conditions: Preconditions, for request: APIRequest, overrides: [UInt8], key: IdempotencyKey?,
        wait: WaitPreference?
    ) async -> ServerResponse {
        let tasks = services.service(for: request.caller)
        return await request.taskResponse(logger) { () async throws(TaskStoreError) in
            guard let record = request.noting(try await tasks.task(id)) else {
                return await response(
                    to: request, retryingRemoved: id, of: tasks, overrides: overrides, key: key, wait: wait)
            }
            guard conditions.areMet(by: record.entityTag) else {
                return request.head.changedTask(record)
            }
            return await retry(record, of: tasks, for: request, overrides: overrides, key: key, wait: wait)
        }
    }

    private func retry(
        _ record: TaskRecord, of tasks: TaskService, for request: APIRequest, overrides: [UInt8], key: IdempotencyKey?,
        wait: WaitPreference?
    ) async -> ServerResponse {
        let outcome: TaskCreationOutcome
        do throws(TaskStoreError) {
            outcome = try await tasks.retry(
                record, overrides: overrides, key: key, in: TraceContext(request.head.headers))
        } catch {
            return request.head.notStored(error)
        }
        return await response(to: request, with: outcome, from: tasks, wait: wait)
    }

    /// Returns the response to a retry of a task that does not exist for the caller: the new task, if the key has
    /// created it before.
    ///
    /// The task may have been removed after the first request, of which the client has not seen the response.
    private func response(
        to request: APIRequest, retryingRemoved id: TaskID, of tasks: TaskService, overrides: [UInt8],
        key: IdempotencyKey?, wait: WaitPreference?
    ) async -> ServerResponse {
        guard let key else { return request.head.noSuchTask() }
        let earlier: TaskCreationOutcome?
        do throws(TaskStoreError) {
            earlier = try await tasks.earlier(retryOf: id, overrides: overrides, key: key)
        } catch {
            return request.head.notStored(error)
        }
        guard let outcome = earlier else { return request.head.noSuchTask() }
        // A new task that the caller must not see is not told of, as the old one is not.
        if case .refused = outcome { return request.head.noSuchTask() }
        return await response(to: request, with: outcome, from: tasks, wait: wait)
    }
}
