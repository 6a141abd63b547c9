import ErrandConfiguration
import ErrandHTTPServer
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes

/// `PATCH /v1/tasks/{id}`.
extension TaskEndpoints {
    /// Admits a merge patch of a task (RFC 7396), conditional with `If-Match`.
    func edit(_ request: APIRequest) -> RequestDisposition {
        let head = request.head
        guard let id = request.taskID else { return .immediate(head.noSuchTask()) }
        if let refusal = JSONContent.patchRefusal(of: head) { return .immediate(refusal) }
        let condition: EntityTagCondition?
        do throws(HeaderProblem) {
            condition = try Self.condition(of: head)
        } catch {
            return .immediate(error.response(to: head))
        }
        return collect("a merge patch", of: head) { body in
            .deferred {
                await perform(on: id, for: request) { tasks, record throws(TaskStoreError) in
                    try await edit(record, of: tasks, for: request, patch: body, if: condition)
                }
            }
        }
    }

    private func edit(
        _ record: TaskRecord, of tasks: TaskService, for request: APIRequest, patch: [UInt8],
        if condition: EntityTagCondition?
    ) async throws(TaskStoreError) -> ServerResponse {
        let edit: TaskEdit
        do throws(TaskRejection) {
            edit = try tasks.edit(in: patch, of: record)
        } catch {
            return error.response(to: request.head, type: .invalidEdit)
        }
        let outcome = try await tasks.edit(record, edit) { current in
            condition?.matchesStrongly(current.entityTag) ?? true
        }
        return response(to: request.head, outcome)
    }

    /// Combines the values of repeated fields into one list (RFC 9110 §5.3).
    private static func condition(of head: RequestHead) throws(HeaderProblem) -> EntityTagCondition? {
        let values = head.headers[values: .ifMatch]
        guard !values.isEmpty else { return nil }
        guard let condition = EntityTagCondition(values.joined(separator: ",")) else {
            throw HeaderProblem(name: .ifMatch, detail: "expected an entity tag such as \"r1\", or *")
        }
        return condition
    }
}
