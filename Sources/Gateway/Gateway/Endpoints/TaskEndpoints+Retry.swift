import ErrandConfiguration
import ErrandHTTPServer
import ErrandJSON
import ErrandTaskStore
import HTTPTypes

/// `POST /v1/tasks/{id}/retry`: creates a finished task anew.
extension TaskEndpoints {
    /// Admits a retry, optionally with members that replace those of the old task.
    func retry(_ request: APIRequest) -> RequestDisposition {
        let head = request.head
        guard let id = request.taskID else { return .immediate(head.noSuchTask()) }
        let key: IdempotencyKey?
        do throws(HeaderProblem) {
            key = try IdempotencyKey.read(head)
        } catch {
            return .immediate(error.response(to: head))
        }
        let tooLarge: @Sendable () -> ServerResponse = {
            head.response(
                .contentTooLarge, "expected a task of at most \(limits.maxJSONBytes) bytes (server.max_json)")
        }
        return .buffered(limitBytes: limits.maxJSONBytes, tooLarge: tooLarge) { body in
            if !body.isEmpty, let refusal = JSONContent.refusal(of: head) { return .immediate(refusal) }
            return .deferred {
                await perform(on: id, for: request) { record throws(TaskStoreError) in
                    await retry(record, for: request, overrides: body, key: key)
                }
            }
        }
    }

    private func retry(
        _ record: TaskRecord, for request: APIRequest, overrides: [UInt8], key: IdempotencyKey?
    ) async -> ServerResponse {
        guard record.state.isTerminal else { return wrongState(request.head, record) }
        do {
            let outcome = try await again(record, for: request.caller, overrides: overrides, key: key)
            return await response(to: request, with: outcome)
        } catch {
            return error.response(to: request.head)
        }
    }

    /// Creates a finished task anew.
    ///
    /// - Parameters:
    ///   - caller: The caller, who needs permission to create such a task.
    ///   - overrides: A JSON object of members that replace the old ones; empty for none.
    ///   - unlessRetried: True to refuse a task that was already retried.
    /// - Throws: The faults of the task under the configuration in force.
    func again(
        _ record: TaskRecord, for caller: Caller, overrides: [UInt8] = [], key: IdempotencyKey? = nil,
        unlessRetried: Bool = false
    ) async throws(TaskRejection) -> TaskIntake.Outcome {
        var document: JSONDocument?
        if !overrides.isEmpty {
            do {
                document = try JSONDocument.parse(task: overrides, limits: JSONLimits(maxDepth: limits.maxDepth))
            } catch {
                throw .malformed(error)
            }
        }
        let repetition = try await record.kind.handler.repetition(
            of: record, overrides: document, key: key, by: decoder(for: caller), ids: intake.ids)
        switch repetition {
        case .decoded(let task):
            return await intake.create(
                TaskIntake.Order(
                    task: task, origin: AcceptedTask.Origin(retryOf: record.id), unlessRetried: unlessRetried),
                for: caller)
        case .copied(let copy):
            return await intake.create(copy, unlessRetried: unlessRetried)
        }
    }
}
