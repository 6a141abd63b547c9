import ErrandConfiguration
import ErrandHTTPServer
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes

/// `PATCH /v1/tasks/{id}`.
extension TaskEndpoints {
    /// Admits a merge patch of a task (RFC 7396), conditional with `If-Match` and `If-None-Match`.
    func edit(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        let head = request.head
        let id = try request.taskID
        if let refusal = JSONContent.patchRefusal(of: head) { throw refusal }
        let conditions = try Preconditions(head)
        return head.collecting("a merge patch", atMost: limits.maxJSONBytes, setting: "server.max_json") { body in
            .deferred {
                await perform(on: id, for: request) { tasks, record throws(TaskStoreError) in
                    try await edit(record, of: tasks, for: request, patch: body, if: conditions)
                }
            }
        }
    }

    private func edit(
        _ record: TaskRecord, of tasks: TaskService, for request: APIRequest, patch: [UInt8],
        if conditions: Preconditions
    ) async throws(TaskStoreError) -> ServerResponse {
        let edit: TaskEdit
        do throws(TaskRejection) {
            edit = try tasks.edit(in: patch, of: record)
        } catch {
            return error.response(to: request.head, type: .invalidEdit)
        }
        let outcome = try await tasks.edit(record, edit) { current in
            conditions.areMet(by: current.entityTag)
        }
        if case .refused(let current) = outcome, let detail = Self.detail(of: current, refusing: edit) {
            return request.head.response(.wrongState, detail)
        }
        return await response(to: request.head, outcome, of: .edit, from: tasks)
    }

    /// Returns the reason for which a task under way refuses a change of its start.
    ///
    /// - Returns: `nil` if the state of the task allows no change at all, or the edit does not change its start.
    private static func detail(of record: TaskRecord, refusing edit: TaskEdit) -> String? {
        guard record.hasOpenAttempt, record.state != .canceling, edit.notBefore != nil else { return nil }
        return """
            the task is \(record.state.rawValue), and not_before cannot be changed during an attempt; leave it out, or \
            try again when the attempt has ended
            """
    }
}
