import Dispatch
import ErrandConfiguration
import ErrandHTTPServer
import ErrandJSON
import ErrandSessionCore
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes

/// `POST /v1/tasks:batch`: creates many tasks in one durable write; each succeeds or fails on its own.
struct BatchEndpoint: Sendable {
    let services: TaskServices
    let limits: RequestLimits

    var routes: [APIRoute] {
        [APIRoute(.post, "/v1/tasks:batch", needs: .tasksWrite) { create($0) }]
    }

    private func create(_ request: APIRequest) -> RequestDisposition {
        let head = request.head
        if let refusal = JSONContent.refusal(of: head) { return .immediate(refusal) }
        if head.headers.contains(.idempotencyKey) {
            return .immediate(
                head.response(.badHeader, "Idempotency-Key is for a single task; use idempotency_key in the items"))
        }
        let tooLarge: @Sendable () -> ServerResponse = {
            head.response(
                .contentTooLarge, "expected a batch of at most \(limits.maxBodyBytes) bytes (server.max_body)")
        }
        return .buffered(limitBytes: limits.maxBodyBytes, tooLarge: tooLarge) { body in
            .deferred { await create(request, body) }
        }
    }

    private func create(_ request: APIRequest, _ body: [UInt8]) async -> ServerResponse {
        let tasks = services.service(for: request.caller)
        let decoded: [Decoded]
        do {
            decoded = try await withTaskExecutorPreference(BatchExecutor.shared) {
                try await decode(body, of: request, for: tasks)
            }
        } catch let error as TaskRejection {
            return error.response(to: request.head, type: .invalidBatch)
        } catch {
            // The client disconnected, or the gateway is stopping.
            return request.head.response(.stopping, "the request was canceled, and no task was created")
        }
        let accepted = decoded.compactMap { try? $0.get() }
        if let session = accepted.first?.session, accepted.allSatisfy({ $0.session == session }) {
            request.notes.note(session: session)
        }
        let outcomes = await tasks.create(accepted, in: TraceContext(request.head.headers))
        if let refusal = refusal(of: decoded, outcomes) {
            return refusal.response(to: request.head)
        }
        return await withTaskExecutorPreference(BatchExecutor.shared) { await response(decoded, outcomes) }
    }

    /// Returns the refusal of the whole batch if the gateway is stopping and no item has an earlier result.
    private func refusal(of decoded: [Decoded], _ outcomes: [Outcome]) -> TaskCreationOutcome.Refusal? {
        let hasEarlier = decoded.contains { item in
            if case .failure(let problem) = item { problem.earlier != nil } else { false }
        }
        guard !hasEarlier, !outcomes.isEmpty else { return nil }
        let areStopped = outcomes.allSatisfy { outcome in
            if case .success(.refused(.stopping)) = outcome { true } else { false }
        }
        return areStopped ? .stopping : nil
    }

    private func response(_ decoded: [Decoded], _ outcomes: [Outcome]) async -> ServerResponse {
        var outcomes = outcomes[...]
        var writer = JSONWriter(capacity: decoded.count * 1024)
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

    private typealias Decoded = Result<AcceptedTask, ItemProblem>
    private typealias Outcome = Result<TaskCreationOutcome, TaskStoreError>

    /// The maximum number of faults reported for a batch; beyond it each invalid item still reports its first.
    private static let maxFaults = 1000

    /// Decodes and validates the items.
    ///
    /// - Throws: A ``TaskRejection`` of the document as a whole, or a `CancellationError`.
    private func decode(_ body: [UInt8], of request: APIRequest, for tasks: TaskService) async throws -> [Decoded] {
        let items = try BatchDocument.items(of: body, maxItems: limits.maxBatch, maxDepth: limits.maxDepth)
        // The request itself was counted as one.
        request.limiter?.charge(items.count - 1)
        let decoder = tasks.decoder
        var decoded: [Decoded] = []
        decoded.reserveCapacity(items.count)
        var faults = Self.maxFaults
        // Sequentially, so that only one parsed item is in memory at a time.
        for item in items {
            try Task.checkCancellation()
            let result = await decode(
                Array(body[item]), decoder, for: tasks, maxFaults: min(max(faults, 1), TaskDecoder.maxFaults))
            if case .failure(let error) = result { faults -= error.problem.errors.count }
            decoded.append(result)
            // Lets other batches run in between.
            await Task.yield()
        }
        return decoded
    }

    /// The fault of an invalid item.
    private struct ItemProblem: Error {
        var problem: ProblemDetails
        /// The outcome stored under the item's key, if an earlier request with it was accepted.
        var earlier: Outcome?
    }

    private func decode(
        _ item: [UInt8], _ decoder: TaskDecoder, for tasks: TaskService, maxFaults: Int
    ) async -> Decoded {
        guard item.count <= limits.maxJSONBytes else {
            let detail = "expected a task of at most \(limits.maxJSONBytes) bytes (server.max_json)"
            return .failure(ItemProblem(problem: ProblemDetails(.contentTooLarge, detail: detail)))
        }
        do {
            return .success(try await decoder.decode(item, as: .batchItem, maxFaults: maxFaults))
        } catch {
            return .failure(ItemProblem(problem: error.problem(), earlier: await earlier(item, for: tasks)))
        }
    }

    private func earlier(_ item: [UInt8], for tasks: TaskService) async -> Outcome? {
        do throws(TaskStoreError) {
            guard let outcome = try await tasks.earlier(item, key: nil) else { return nil }
            return .success(outcome)
        } catch {
            return .failure(error)
        }
    }

    private func write(_ outcome: Outcome, to writer: inout JSONWriter) {
        switch outcome {
        case .success(.created(let record)): write(record, status: .accepted, isReplayed: false, to: &writer)
        case .success(.replayed(let record)): write(record, status: .ok, isReplayed: true, to: &writer)
        case .success(.replayedRemoved(let task)): write(task, to: &writer)
        case .success(.refused(let refusal)): write(refusal.problem, to: &writer)
        case .failure(let error): write(ProblemDetails(.storeUnavailable, detail: error.message), to: &writer)
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
        TaskRenderer.write(record, live: services.liveState(of: record), view: .listed, to: &writer)
        writer.endObject()
    }

    private func write(_ task: RemovedTask, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("status")
        writer.int(HTTPResponse.Status.ok.code)
        writer.member("idempotent_replayed")
        writer.bool(true)
        writer.member("task")
        TaskRenderer.write(task, to: &writer)
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

/// A dedicated thread that decodes batches, interleaving the items of concurrent batches.
///
/// Decoding a batch of up to `server.max_body` bytes can take seconds. On the cooperative pool, which has one thread
/// per core, a few batches would block every other request. A batch yields after each item, so that a small batch does
/// not wait for a large one.
final class BatchExecutor: TaskExecutor {
    /// The executor shared by all batches.
    static let shared = BatchExecutor()

    private let queue = DispatchQueue(label: "errand.batches")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The runtime retains the job until it has run, which happens exactly once, here.
        queue.async { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
