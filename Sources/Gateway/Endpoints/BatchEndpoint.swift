import HTTPServer
import HTTPTypes
import JSON
import TaskStore

/// `POST /v1/tasks:batch`: many tasks in one durable write, each of which succeeds or fails alone.
struct BatchEndpoint: Sendable {
    let tasks: TaskEndpoints

    private var limits: RequestLimits { tasks.limits }

    var routes: [APIRoute] {
        [APIRoute(.post, "/v1/tasks:batch", needs: .tasksWrite) { create($0) }]
    }

    private func create(_ request: APIRequest) -> HTTPServer.Admission {
        let head = request.head
        if let refusal = JSONContent.refusal(of: head) { return .answer(refusal) }
        if head.headers.contains(.idempotencyKey) {
            return .answer(
                head.answer(.badHeader, "Idempotency-Key is for one task; items of a batch have idempotency_key"))
        }
        let tooLarge = head.answer(
            .contentTooLarge, "a batch has at most \(limits.maxBodyBytes) bytes (server.max_body)")
        return .buffered(limitBytes: limits.maxBodyBytes, tooLarge: tooLarge) { body in
            .later { await create(request, body) }
        }
    }

    private func create(_ request: APIRequest, _ body: [UInt8]) async -> ServerResponse {
        let items: [Range<Int>]
        do throws(TaskRejection) {
            items = try BatchDocument.items(of: body, maxItems: limits.maxBatch, maxDepth: limits.maxDepth)
        } catch {
            return error.answer(to: request.head, type: .invalidBatch)
        }
        let decoder = tasks.decoder(for: request.caller)
        var decoded: [Result<AcceptedTask, ItemProblem>] = []
        decoded.reserveCapacity(items.count)
        // One after the other: the tree of one document is in memory at a time.
        for item in items { decoded.append(await decode(Array(body[item]), decoder, for: request.caller)) }
        let accepted = decoded.compactMap { try? $0.get() }
        if let session = accepted.first?.session, accepted.allSatisfy({ $0.session == session }) {
            request.notes.note(session: session)
        }
        var outcomes = await tasks.intake.create(accepted.map { TaskIntake.Order(task: $0) }, for: request.caller)[...]
        var writer = JSONWriter(capacity: items.count * 1024)
        writer.beginObject()
        writer.member("results")
        writer.beginArray()
        for item in decoded {
            switch item {
            case .success: if let outcome = outcomes.popFirst() { write(outcome, to: &writer) }
            case .failure(let error):
                if let earlier = error.earlier {
                    write(earlier, to: &writer)
                } else {
                    write(error.problem, to: &writer)
                }
            }
        }
        writer.endArray()
        writer.endObject()
        return ServerResponse(json: writer.bytes)
    }

    // MARK: Items

    /// Why an item is no task.
    private struct ItemProblem: Error {
        var problem: ProblemDetails
        /// What the item's key has made all the same, when it was accepted.
        var earlier: TaskIntake.Outcome?
    }

    private func decode(
        _ item: [UInt8], _ decoder: TaskDecoder, for caller: Caller
    ) async -> Result<AcceptedTask, ItemProblem> {
        guard item.count <= limits.maxJSONBytes else {
            let detail = "a task has at most \(limits.maxJSONBytes) bytes (server.max_json)"
            return .failure(ItemProblem(problem: ProblemDetails(.contentTooLarge, detail: detail)))
        }
        do {
            return .success(try await decoder.decode(item, as: .batchItem))
        } catch {
            let earlier = await tasks.intake.earlier(item, key: nil, maxDepth: limits.maxDepth, for: caller)
            return .failure(ItemProblem(problem: error.problem(), earlier: earlier))
        }
    }

    private func write(_ outcome: TaskIntake.Outcome, to writer: inout JSONWriter) {
        switch outcome {
        case .created(let record): write(record, status: .accepted, isReplayed: false, to: &writer)
        case .replayed(let record): write(record, status: .ok, isReplayed: true, to: &writer)
        case .refused(let problem, _): write(problem, to: &writer)
        case .failed(let error): write(ProblemDetails(.storeUnavailable, detail: error.message), to: &writer)
        }
    }

    private func write(
        _ record: TaskRecord, status: HTTPResponse.Status, isReplayed: Bool, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("status")
        writer.int(status.code)
        if isReplayed {
            writer.member("idempotent_replayed")
            writer.bool(true)
        }
        writer.member("task")
        TaskRenderer.write(record, live: tasks.dispatcher.liveState(of: record), view: .listed, to: &writer)
        writer.endObject()
    }

    private func write(_ problem: ProblemDetails, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("status")
        writer.int(problem.status.code)
        writer.member("problem")
        writer.raw(problem.json)
        writer.endObject()
    }
}
