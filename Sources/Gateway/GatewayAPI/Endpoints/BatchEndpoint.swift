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
        [APIRoute(.post, "/v1/tasks:batch", needs: .tasksWrite, handler: create)]
    }

    private func create(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        let head = request.head
        if let refusal = JSONContent.refusal(of: head) { throw refusal }
        if head.headers.contains(.idempotencyKey) {
            throw .field(.idempotencyKey, "a key is for a single task; use idempotency_key in the items")
        }
        return head.collecting("a batch", atMost: limits.maxBodyBytes, setting: "server.max_body") { body in
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
            return services.isStopping
                ? TaskCreationOutcome.Refusal.stopping.response(to: request.head)
                : request.head.canceled("no task was created")
        }
        let accepted = decoded.compactMap { try? $0.get() }
        if let session = accepted.first?.session, accepted.allSatisfy({ $0.session == session }) {
            request.notes?.note(session: session)
        }
        let outcomes = await tasks.create(accepted, in: TraceContext(request.head.headers))
        Self.note(outcomes, for: request)
        if let refusal = refusal(of: decoded, outcomes, to: request.head) { return refusal }
        return await withTaskExecutorPreference(BatchExecutor.shared) { await response(decoded, outcomes) }
    }

    /// Notes the created tasks for the audit log, of which the identifiers of the first and the last.
    private static func note(_ outcomes: [Outcome], for request: APIRequest) {
        guard let notes = request.notes else { return }
        let created = outcomes.compactMap { outcome -> TaskID? in
            if case .success(.created(let record)) = outcome { record.id } else { nil }
        }
        notes.note([AuditNotes.Detail("created", .number(created.count))] + AuditNotes.Detail.ends(of: created))
    }

    /// Returns the response to a batch of which nothing was or is stored, because the gateway is stopping or the store
    /// has failed; `nil` if an item has another outcome than the others.
    ///
    /// Invalid items do not count, unless the store could not tell their earlier outcomes.
    private func refusal(of decoded: [Decoded], _ outcomes: [Outcome], to head: RequestHead) -> ServerResponse? {
        let earlier = decoded.compactMap { item -> Outcome? in
            if case .failure(let problem) = item { problem.earlier } else { nil }
        }
        let all = earlier + outcomes
        switch all.first {
        case .success(.refused(.stopping))?:
            let areStopped = all.allSatisfy { if case .success(.refused(.stopping)) = $0 { true } else { false } }
            return areStopped ? TaskCreationOutcome.Refusal.stopping.response(to: head) : nil
        case .failure(let error)?:
            let haveFailed = all.allSatisfy { if case .failure = $0 { true } else { false } }
            return haveFailed ? head.notStored(error) : nil
        case .success?, nil:
            return nil
        }
    }

    private func response(_ decoded: [Decoded], _ outcomes: [Outcome]) async -> ServerResponse {
        var response = ServerResponse(json: [])
        response.body = .bytes(
            document(of: decoded, outcomes, in: .full), orShort: { document(of: decoded, outcomes, in: .short) })
        return response
    }

    /// The form of a response.
    private enum Form {
        /// Tasks and problems with all their members.
        case full
        /// Tasks with their ids, and no problems.
        case short
    }

    private func document(of decoded: [Decoded], _ outcomes: [Outcome], in form: Form) -> [UInt8] {
        var outcomes = outcomes[...]
        var writer = JSONWriter(capacity: decoded.count * (form == .full ? 1024 : 64))
        writer.beginObject()
        writer.member("results")
        writer.beginArray()
        for item in decoded {
            switch item {
            case .success: if let outcome = outcomes.popFirst() { write(outcome, in: form, to: &writer) }
            case .failure(let error):
                if let earlier = error.earlier {
                    write(earlier, in: form, to: &writer)
                } else {
                    write(error.problem, in: form, to: &writer)
                }
            }
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    // MARK: Items

    typealias Decoded = Result<AcceptedTask, ItemProblem>
    typealias Outcome = Result<TaskCreationOutcome, TaskStoreError>

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
        // Sequentially, so that only one parsed item, and one request that is made from it, is in memory at a time.
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
    struct ItemProblem: Error {
        var problem: ProblemDetails
        /// The outcome stored under the item's key, if an earlier request with it was accepted.
        var earlier: Outcome?
    }

    /// Decodes and validates an item, and drops the request made from it, which its attempt makes again.
    func decode(_ item: [UInt8], _ decoder: TaskDecoder, for tasks: TaskService, maxFaults: Int) async -> Decoded {
        guard item.count <= limits.maxJSONBytes else {
            let detail = "expected a task of at most \(limits.maxJSONBytes) bytes (server.max_json)"
            return .failure(ItemProblem(problem: ProblemDetails(.contentTooLarge, detail: detail)))
        }
        do {
            let task = try await decoder.decode(item, as: .batchItem, maxFaults: maxFaults)
            return .success(task.withoutPreparedRequest())
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

    private func write(_ outcome: Outcome, in form: Form, to writer: inout JSONWriter) {
        switch outcome {
        case .success(.created(let record)):
            write(status: .accepted, to: &writer) { write(record, in: form, to: &$0) }
        case .success(.replayed(let record)):
            write(status: .ok, isReplayed: true, to: &writer) { write(record, in: form, to: &$0) }
        case .success(.replayedRemoved(let task)):
            write(status: .ok, isReplayed: true, to: &writer) { TaskRenderer.write(task, to: &$0) }
        case .success(.refused(let refusal)): write(refusal.itemProblem, in: form, to: &writer)
        case .failure(let error): write(ProblemDetails.notStored(error), in: form, to: &writer)
        }
    }

    private func write(
        status: HTTPResponse.Status, isReplayed: Bool = false, to writer: inout JSONWriter,
        task: (inout JSONWriter) -> Void
    ) {
        writer.beginObject()
        writer.member("status", status.code)
        if isReplayed {
            writer.member("idempotent_replayed", true)
        }
        writer.member("task")
        task(&writer)
        writer.endObject()
    }

    private func write(_ record: TaskRecord, in form: Form, to writer: inout JSONWriter) {
        switch form {
        case .full: TaskRenderer.write(record, live: services.liveState(of: record), view: .listed, to: &writer)
        case .short:
            writer.beginObject()
            writer.member("id", record.id)
            writer.endObject()
        }
    }

    private func write(_ problem: ProblemDetails, in form: Form, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("status", problem.status.code)
        if form == .full {
            writer.member("problem")
            writer.raw(problem.json)
        }
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
