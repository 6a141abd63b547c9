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
        let condition = try EntityTagCondition.read(.ifMatch, of: head)
        if condition != nil, head.headers[.idempotencyKey] != nil {
            // The retry changes the task, so that its repetition would not meet the condition.
            throw .field(
                .ifMatch, "expected no If-Match with an Idempotency-Key, which already prevents a second retry")
        }
        return try collectTask(of: head) { body, key, wait in
            if !body.isEmpty, let refusal = JSONContent.refusal(of: head, isOptional: true) {
                return .immediate(refusal.response(to: head))
            }
            return .deferred {
                await perform(on: id, if: condition, for: request) { tasks, record throws(TaskStoreError) in
                    await retry(record, of: tasks, for: request, overrides: body, key: key, wait: wait)
                }
            }
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
}
