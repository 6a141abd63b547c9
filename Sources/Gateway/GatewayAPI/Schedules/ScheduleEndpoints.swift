import ErrandConfiguration
import ErrandHTTPServer
import ErrandJSON
import ErrandSessionCore
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes
import Logging

/// `/v1/schedules`: schedules that create tasks repeatedly.
struct ScheduleEndpoints: Sendable {
    let scheduler: Scheduler
    let services: TaskServices
    let limits: RequestLimits
    let logger: Logger

    var routes: [APIRoute] {
        [
            APIRoute(.get, "/v1/schedules", needs: .tasksRead) { request in
                // There may be many, and the next times of each are computed.
                .deferred { await withTaskExecutorPreference(BatchExecutor.shared) { await list(request) } }
            },
            APIRoute(.post, "/v1/schedules", needs: .tasksWrite, handler: create),
            APIRoute(.get, "/v1/schedules/{name}", needs: .tasksRead, handler: named(read)),
            APIRoute(.put, "/v1/schedules/{name}", needs: .tasksWrite, handler: replace),
            APIRoute(.delete, "/v1/schedules/{name}", needs: .tasksWrite, handler: named(remove)),
            APIRoute(.post, "/v1/schedules/{name}/suspend", needs: .tasksWrite, handler: named(suspend)),
            APIRoute(.post, "/v1/schedules/{name}/resume", needs: .tasksWrite, handler: named(resume)),
            APIRoute(.post, "/v1/schedules/{name}/run", needs: .tasksWrite, handler: named(run)),
        ]
    }

    /// Returns a handler of requests for a schedule by name; for a session that the caller must not see, the schedule is
    /// not found.
    private func named(
        _ admit: @escaping @Sendable (APIRequest, Schedule) throws(RequestRefusal) -> RequestDisposition
    ) -> APIRoute.Handler {
        { request throws(RequestRefusal) in
            guard let schedule = request.parameters["name"].flatMap({ scheduler[$0] }),
                request.caller.sees(session: schedule.record.session)
            else { throw .noSuchSchedule }
            request.notes?.note(session: schedule.record.session)
            return try admit(request, schedule)
        }
    }

    // MARK: Reading

    private func list(_ request: APIRequest) async -> ServerResponse {
        let listing = ScheduleListing(of: scheduler, for: request.caller) { schedule in
            var writer = JSONWriter()
            document(schedule).write(to: &writer)
            return writer.bytes
        }
        do throws(CancellationError) {
            return try await listing.response()
        } catch {
            let head = request.head
            return services.isStopping
                ? head.stopping("the gateway is stopping") : head.canceled("the request was canceled")
        }
    }

    private func read(_ request: APIRequest, _ schedule: Schedule) throws(RequestRefusal) -> RequestDisposition {
        switch try Preconditions(request.head).verdict(on: schedule.record.entityTag) {
        case .met: .deferred { await response(schedule, status: .ok) }
        case .notModified: .deferred { await response(schedule, status: .ok).notModified }
        case .failed: .immediate(request.head.changedSchedule(now: schedule.record.entityTag))
        }
    }

    /// Returns the response with a schedule, made on the thread of batches: its task is parsed, and may be large.
    private func response(_ schedule: Schedule, status: HTTPResponse.Status) async -> ServerResponse {
        await withTaskExecutorPreference(BatchExecutor.shared) { await rendered(schedule, status: status) }
    }

    /// Returns the response with a schedule, which is short if too many bytes of responses wait for clients.
    ///
    /// Asynchronous, so that it runs on the thread that the caller prefers.
    private func rendered(_ schedule: Schedule, status: HTTPResponse.Status) async -> ServerResponse {
        let document = document(schedule)
        var writer = JSONWriter()
        document.write(to: &writer)
        var headers: HTTPFields = [
            .contentType: "application/json", .eTag: schedule.record.entityTag.description, .cacheControl: "no-cache",
        ]
        if status == .created { headers[.location] = schedule.record.path }
        let body = ResponseBody.bytes(
            writer.bytes,
            orShort: {
                var writer = JSONWriter()
                document.writeShort(to: &writer)
                return writer.bytes
            })
        return ServerResponse(status: status, headers: headers, body: body)
    }

    private func document(_ schedule: Schedule) -> ScheduleDocument {
        ScheduleDocument(
            schedule, session: services.configuration(of: schedule.record.session),
            at: scheduler.now())
    }

    // MARK: Writing

    /// Admits a request whose content is a schedule.
    private func reading(
        _ request: APIRequest, _ respond: @escaping @Sendable ([UInt8]) async -> ServerResponse
    ) throws(RequestRefusal) -> RequestDisposition {
        let head = request.head
        if let refusal = JSONContent.refusal(of: head) { throw refusal }
        return head.collecting("a schedule", atMost: limits.maxJSONBytes, setting: "server.max_json") { body in
            .deferred { await respond(body) }
        }
    }

    private func create(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        guard request.head.headers[.idempotencyKey] == nil else {
            throw .field(
                .idempotencyKey,
                "a schedule takes no key, as its name prevents a second one; remove the field, or use PUT")
        }
        return try reading(request) { body in await put(request, body, named: nil) { _ in true } }
    }

    private func replace(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        guard let name = request.parameters["name"] else { throw .noSuchSchedule }
        let condition = try Self.condition(of: request.head)
        return try reading(request) { body in await put(request, body, named: name, if: condition) }
    }

    /// Creates or replaces a schedule.
    ///
    /// - Parameter name: The name in the path, which allows the schedule to exist; `nil` for a request without one.
    private func put(
        _ request: APIRequest, _ body: [UInt8], named name: String?, if condition: @escaping Scheduler.Condition
    ) async -> ServerResponse {
        let head = request.head
        let accepted: AcceptedSchedule
        do throws(TaskRejection) {
            accepted = try await scheduler.decoder(for: request.caller).decode(body, named: name)
        } catch {
            return error.response(to: head, type: .invalidSchedule)
        }
        request.notes?.note(session: accepted.definition.session)
        return await head.response(logger) { () async throws(TaskStoreError) in
            let outcome = try await scheduler.put(
                accepted, by: request.caller, replaces: name != nil, if: condition)
            switch outcome {
            case .created(let schedule): return await response(schedule, status: .created)
            case .replaced(let schedule): return await response(schedule, status: .ok)
            case .exists: return head.response(.scheduleExists, "a schedule \"\(accepted.name)\" already exists")
            case .configured: return head.configuredSchedule()
            case .preconditionFailed: return changed(accepted.name, for: request)
            case .tooMany:
                return head.response(.tooManySchedules, "the limit of \(Scheduler.limit) schedules is reached")
            case .tooLarge:
                return head.response(
                    .tooManySchedules, "all schedules together may have at most \(Scheduler.limitBytes >> 20) MiB")
            }
        }
    }

    private func remove(
        _ request: APIRequest, _ schedule: Schedule
    ) throws(RequestRefusal) -> RequestDisposition {
        let condition = try Self.condition(of: request.head)
        return ActionOptions.admit(request.head, maxDepth: limits.maxDepth) {
            await change(schedule.record.name, for: request) { () async throws(TaskStoreError) in
                try await scheduler.remove(schedule.record.name, by: request.caller, if: condition)
            } done: { _ in
                ServerResponse(status: .noContent)
            }
        }
    }

    private func suspend(_ request: APIRequest, _ schedule: Schedule) throws(RequestRefusal) -> RequestDisposition {
        try setSuspended(true, schedule, for: request)
    }

    private func resume(_ request: APIRequest, _ schedule: Schedule) throws(RequestRefusal) -> RequestDisposition {
        try setSuspended(false, schedule, for: request)
    }

    private func setSuspended(
        _ isSuspended: Bool, _ schedule: Schedule, for request: APIRequest
    ) throws(RequestRefusal) -> RequestDisposition {
        let condition = try Self.condition(of: request.head)
        return ActionOptions.admit(request.head, maxDepth: limits.maxDepth) {
            await change(schedule.record.name, for: request) { () async throws(TaskStoreError) in
                try await scheduler.setSuspended(isSuspended, schedule.record.name, by: request.caller, if: condition)
            } done: { schedule in
                await response(schedule, status: .ok)
            }
        }
    }

    private func run(_ request: APIRequest, _ schedule: Schedule) throws(RequestRefusal) -> RequestDisposition {
        guard request.head.headers[.idempotencyKey] == nil else {
            throw .field(.idempotencyKey, "a run of a schedule takes no key; create a task with a key instead")
        }
        let condition = try Self.condition(of: request.head)
        return ActionOptions.admit(request.head, maxDepth: limits.maxDepth) {
            await change(schedule.record.name, for: request) { () async throws(TaskStoreError) in
                try await scheduler.runNow(
                    schedule.record.name, by: request.caller, if: condition, in: TraceContext(request.head.headers))
            } done: { schedule in
                await response(schedule, status: .ok)
            }
        }
    }

    /// Changes a schedule; returns the response.
    private func change(
        _ name: String, for request: APIRequest,
        _ work: () async throws(TaskStoreError) -> Scheduler.ChangeOutcome, done: (Schedule) async -> ServerResponse
    ) async -> ServerResponse {
        let head = request.head
        return await head.response(logger) { () async throws(TaskStoreError) in
            switch try await work() {
            case .done(let schedule): return await done(schedule)
            case .notFound: return head.noSuchSchedule()
            case .configured: return head.configuredSchedule()
            case .preconditionFailed: return changed(name, for: request)
            case .rejected(let rejection): return rejection.response(to: head, type: .invalidSchedule)
            case .sessionClosed(let session):
                return TaskCreationOutcome.Refusal.sessionClosed(session).response(to: head)
            case .stopping: return TaskCreationOutcome.Refusal.stopping.response(to: head)
            case .ran(let task):
                request.notes?.note(task: task.id, session: task.session, trace: task.trace)
                return services.response(services.current(task), status: .accepted)
            }
        }
    }

    // MARK: Conditions

    /// Returns 412, with the tag of the schedule as it is now.
    private func changed(_ name: String, for request: APIRequest) -> ServerResponse {
        let current = scheduler[name].flatMap { request.caller.sees(session: $0.record.session) ? $0 : nil }
        return request.head.changedSchedule(now: current?.record.entityTag)
    }

    /// Returns the precondition of a change.
    private static func condition(of head: RequestHead) throws(RequestRefusal) -> Scheduler.Condition {
        let conditions = try Preconditions(head)
        return { conditions.areMet(by: $0?.entityTag) }
    }
}
