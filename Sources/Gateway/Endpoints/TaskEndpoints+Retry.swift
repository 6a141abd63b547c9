import HTTPServer
import HTTPTypes
import JSON
import TaskStore

/// `POST /v1/tasks/{id}/retry`: a finished task again.
extension TaskEndpoints {
    /// Admits the call, with members that the new task has in place of the old one's, or none.
    func retry(_ request: APIRequest) -> HTTPServer.Admission {
        let head = request.head
        guard let id = request.taskID else { return .answer(head.answer(.noSuchTask)) }
        let key: IdempotencyKey?
        do throws(HeaderProblem) {
            key = try IdempotencyKey.read(head)
        } catch {
            return .answer(error.answer(to: head))
        }
        let tooLarge = head.answer(
            .contentTooLarge, "a task has at most \(limits.maxJSONBytes) bytes (server.max_json)")
        return .buffered(limitBytes: limits.maxJSONBytes, tooLarge: tooLarge) { body in
            if !body.isEmpty, let refusal = JSONContent.refusal(of: head) { return .now(refusal) }
            return .later {
                await perform(on: id, request) { id throws(TaskStoreError) in
                    guard let record = try await dispatcher.task(id) else { return head.answer(.noSuchTask) }
                    return await retry(record, request, body, key)
                }
            }
        }
    }

    private func retry(
        _ record: TaskRecord, _ request: APIRequest, _ body: [UInt8], _ key: IdempotencyKey?
    ) async -> ServerResponse {
        guard record.state.isTerminal else { return wrongState(request.head, record) }
        do {
            let outcome = try await again(record, for: request.caller, overrides: body, key: key)
            return await answer(to: request, outcome)
        } catch {
            return error.answer(to: request.head)
        }
    }

    /// Has a finished task made again.
    ///
    /// - Parameters:
    ///   - caller: Who wants that: he must be allowed to make such a task.
    ///   - overrides: A JSON object of members in place of the old ones; empty for none.
    /// - Throws: Why it cannot be made any more.
    func again(
        _ record: TaskRecord, for caller: Caller, overrides: [UInt8] = [], key: IdempotencyKey? = nil
    ) async throws(TaskRejection) -> TaskIntake.Outcome {
        var document: JSONDocument?
        if !overrides.isEmpty {
            do {
                document = try JSONDocument.parse(overrides, limits: JSONLimits(maxDepth: limits.maxDepth))
            } catch {
                throw .malformed(error)
            }
        }
        let renewal = TaskRepeat(decoder: decoder(for: caller))
        guard record.kind == .callback else {
            let task = try await renewal.accept(record, overrides: document, key: key)
            return await intake.create(
                TaskIntake.Order(task: task, origin: AcceptedTask.Origin(retryOf: record.id)), for: caller)
        }
        if let member = document?.root.object?.members.first {
            throw .invalid([
                JSONProblem(JSONPointer([member.key]), "a delivery is made again as it is, with the same message")
            ])
        }
        return await intake.create(renewal.delivery(record, id: intake.ids.next()))
    }
}
