import ErrandConfiguration
import ErrandHTTPServer
import ErrandJSON
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
                .deferred { list(request) }
            },
            APIRoute(.post, "/v1/schedules", needs: .tasksWrite) { request in
                reading(request) { body in await create(request, body) }
            },
            APIRoute(.get, "/v1/schedules/{name}", needs: .tasksRead) { request in
                named(request) { .immediate(read(request.head, $0)) }
            },
            APIRoute(.put, "/v1/schedules/{name}", needs: .tasksWrite) { replace($0) },
            APIRoute(.delete, "/v1/schedules/{name}", needs: .tasksWrite) { request in
                named(request) { remove(request, $0.record.name) }
            },
            APIRoute(.post, "/v1/schedules/{name}/suspend", needs: .tasksWrite) { request in
                named(request) { setSuspended(true, of: $0.record.name, for: request) }
            },
            APIRoute(.post, "/v1/schedules/{name}/resume", needs: .tasksWrite) { request in
                named(request) { setSuspended(false, of: $0.record.name, for: request) }
            },
            APIRoute(.post, "/v1/schedules/{name}/run", needs: .tasksWrite) { request in
                named(request) { run(request, $0.record.name) }
            },
        ]
    }

    /// Admits a request for a schedule by name; for a session that the caller must not see, the schedule is not found.
    private func named(
        _ request: APIRequest, _ admit: (Schedule) -> RequestDisposition
    ) -> RequestDisposition {
        guard let schedule = request.parameters["name"].flatMap({ scheduler[$0] }),
            request.caller.sees(session: schedule.record.session)
        else { return .immediate(request.head.noSuchSchedule()) }
        request.notes.note(session: schedule.record.session)
        return admit(schedule)
    }

    // MARK: Reading

    private func list(_ request: APIRequest) -> ServerResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("schedules")
        writer.beginArray()
        for schedule in scheduler.all where request.caller.sees(session: schedule.record.session) {
            document(schedule).write(to: &writer)
        }
        writer.endArray()
        writer.endObject()
        return ServerResponse(json: writer.bytes)
    }

    private func read(_ head: RequestHead, _ schedule: Schedule) -> ServerResponse {
        var response = response(schedule, status: .ok)
        if let condition = head.headers[.ifNoneMatch].flatMap({ EntityTagCondition($0) }),
            condition.matchesWeakly(schedule.record.entityTag)
        {
            response.status = .notModified
            response.headers[.contentType] = nil
        }
        return response
    }

    private func response(_ schedule: Schedule, status: HTTPResponse.Status) -> ServerResponse {
        var writer = JSONWriter()
        document(schedule).write(to: &writer)
        var headers: HTTPFields = [
            .contentType: "application/json", .eTag: schedule.record.entityTag.description, .cacheControl: "no-cache",
        ]
        if status == .created { headers[.location] = schedule.record.path }
        return ServerResponse(status: status, headers: headers, body: .bytes(writer.bytes))
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
    ) -> RequestDisposition {
        let head = request.head
        if let refusal = JSONContent.refusal(of: head) { return .immediate(refusal) }
        let tooLarge: @Sendable () -> ServerResponse = {
            head.response(
                .contentTooLarge, "a schedule may have at most \(limits.maxJSONBytes) bytes (server.max_json)")
        }
        return .buffered(limitBytes: limits.maxJSONBytes, tooLarge: tooLarge) { body in
            .deferred { await respond(body) }
        }
    }

    private func create(_ request: APIRequest, _ body: [UInt8]) async -> ServerResponse {
        await put(request, body, named: nil) { _ in true }
    }

    private func replace(_ request: APIRequest) -> RequestDisposition {
        guard let name = request.parameters["name"] else { return .immediate(request.head.noSuchSchedule()) }
        let condition: Scheduler.Condition
        do {
            condition = try Self.condition(of: request.head)
        } catch {
            return .immediate(request.head.response(.malformedRequest, error.detail))
        }
        return reading(request) { body in await put(request, body, named: name, if: condition) }
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
        request.notes.note(session: accepted.definition.session)
        return await head.response(logger) { () async throws(TaskStoreError) in
            let answer = try await scheduler.put(
                accepted, by: request.caller, replaces: name != nil, if: condition)
            switch answer {
            case .created(let schedule): return response(schedule, status: .created)
            case .replaced(let schedule): return response(schedule, status: .ok)
            case .exists: return head.response(.scheduleExists, "a schedule \"\(accepted.name)\" already exists")
            case .configured: return head.configuredSchedule()
            case .preconditionFailed: return head.changedSchedule()
            case .tooMany:
                return head.response(.tooManySchedules, "the limit of \(Scheduler.limit) schedules is reached")
            case .tooLarge:
                return head.response(
                    .tooManySchedules, "all schedules together may have at most \(Scheduler.limitBytes >> 20) MiB")
            }
        }
    }

    private func remove(_ request: APIRequest, _ name: String) -> RequestDisposition {
        let head = request.head
        let condition: Scheduler.Condition
        do {
            condition = try Self.condition(of: head)
        } catch {
            return .immediate(head.response(.malformedRequest, error.detail))
        }
        return ActionOptions.admit(head) {
            await change(head) { () async throws(TaskStoreError) in
                try await scheduler.remove(name, by: request.caller, if: condition)
            } done: { _ in
                ServerResponse(status: .noContent)
            }
        }
    }

    private func setSuspended(_ isSuspended: Bool, of name: String, for request: APIRequest) -> RequestDisposition {
        ActionOptions.admit(request.head) {
            await change(request.head) { () async throws(TaskStoreError) in
                try await scheduler.setSuspended(isSuspended, name, by: request.caller)
            } done: { schedule in
                response(schedule, status: .ok)
            }
        }
    }

    private func run(_ request: APIRequest, _ name: String) -> RequestDisposition {
        ActionOptions.admit(request.head) {
            await change(request.head, notes: request.notes) { () async throws(TaskStoreError) in
                try await scheduler.runNow(name, by: request.caller, in: TraceContext(request.head.headers))
            } done: { schedule in
                response(schedule, status: .ok)
            }
        }
    }

    private func change(
        _ head: RequestHead, notes: AuditNotes? = nil,
        _ work: () async throws(TaskStoreError) -> Scheduler.ChangeAnswer, done: (Schedule) -> ServerResponse
    ) async -> ServerResponse {
        await head.response(logger) { () async throws(TaskStoreError) in
            switch try await work() {
            case .done(let schedule): return done(schedule)
            case .notFound: return head.noSuchSchedule()
            case .configured: return head.configuredSchedule()
            case .preconditionFailed: return head.changedSchedule()
            case .rejected(let rejection): return rejection.response(to: head, type: .invalidSchedule)
            case .stopping: return TaskCreationOutcome.Refusal.stopping.response(to: head)
            case .ran(let task):
                notes?.note(task: task.id, session: task.session, trace: task.trace)
                return response(task)
            }
        }
    }

    /// Returns the response with the created task in its current state.
    private func response(_ task: TaskRecord) -> ServerResponse {
        let record = services.current(task)
        let live = services.liveState(of: record)
        let headers: HTTPFields = [
            .contentType: "application/json", .eTag: record.entityTag.description, .cacheControl: "no-cache",
            .location: "/v1/tasks/\(record.id)",
        ]
        return ServerResponse(
            status: .accepted, headers: headers,
            body: .bytes(
                TaskRenderer.bytes(of: record, live: live, view: .full),
                orShort: { TaskRenderer.bytes(of: record, live: live, view: .full, members: .short) }))
    }

    // MARK: Conditions

    private struct MalformedCondition: Error {
        var detail: String
    }

    /// Returns the precondition in `If-Match` and `If-None-Match` (RFC 9110 §13.1.1, §13.1.2).
    private static func condition(of head: RequestHead) throws(MalformedCondition) -> Scheduler.Condition {
        let match = try condition(.ifMatch, of: head)
        let noneMatch = try condition(.ifNoneMatch, of: head)
        return { record in
            let tag = record?.entityTag
            if let match {
                guard let tag, match.matchesStrongly(tag) else { return false }
            }
            guard let noneMatch, let tag else { return true }
            return !noneMatch.matchesWeakly(tag)
        }
    }

    private static func condition(
        _ name: HTTPField.Name, of head: RequestHead
    ) throws(MalformedCondition) -> EntityTagCondition? {
        guard head.headers.contains(name) else { return nil }
        guard let condition = EntityTagCondition(head.headers[values: name].joined(separator: ",")) else {
            throw MalformedCondition(detail: "\(name) is not a list of entity tags")
        }
        return condition
    }
}
