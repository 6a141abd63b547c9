import ErrandConfiguration
import ErrandHTTPServer
import ErrandJSON
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes
import Logging

/// `/v1/tasks`: reads and lists tasks; the files beside this one create and change them.
struct TaskEndpoints: Sendable {
    let services: TaskServices
    let limits: RequestLimits
    /// Notes the states that clients read while the gateway stops.
    let followed: FollowedTasks
    let logger: Logger

    var routes: [APIRoute] {
        [
            APIRoute(.post, "/v1/tasks", needs: .tasksWrite, parameters: .named(["wait"])) { create($0) },
            APIRoute(.get, "/v1/tasks", needs: .tasksRead, parameters: .judgedByEndpoint) { list($0) },
            APIRoute(.get, "/v1/tasks/counts", needs: .tasksRead, parameters: .judgedByEndpoint) { count($0) },
            APIRoute(
                .get, "/v1/tasks/{id}", needs: .tasksRead, parameters: .named(["wait", "wait_for", "view", "fields"])
            ) {
                read($0)
            },
            APIRoute(.delete, "/v1/tasks/{id}", needs: .tasksWrite) { delete($0) },
            APIRoute(.post, "/v1/tasks/{id}/cancel", needs: .tasksWrite) { cancel($0) },
            APIRoute(.post, "/v1/tasks/{id}/suspend", needs: .tasksWrite) { suspend($0) },
            APIRoute(.post, "/v1/tasks/{id}/resume", needs: .tasksWrite) { resume($0) },
            APIRoute(.post, "/v1/tasks/{id}/run-now", needs: .tasksWrite) { runNow($0) },
            APIRoute(.post, "/v1/tasks/{id}/retry", needs: .tasksWrite, parameters: .named(["wait"])) { retry($0) },
            APIRoute(.patch, "/v1/tasks/{id}", needs: .tasksWrite) { edit($0) },
        ]
    }

    // MARK: Read

    private func read(_ request: APIRequest) -> RequestDisposition {
        let head = request.head
        guard let id = request.taskID else { return .immediate(head.noSuchTask()) }
        let wait: WaitPreference?
        let members: TaskMembers
        do {
            try Self.checkValues(head)
            members = try FieldsQuery.read(head.target.queryItems)
            wait = try WaitPreference.read(head, limit: limits.maxWait)
        } catch {
            return .immediate(error.response(to: head))
        }
        let tasks = services.service(for: request.caller)
        if wait == nil, let record = request.noting(tasks.recent(id)), !tasks.showsDetails(record, members) {
            return .immediate(response(to: head, record, members))
        }
        return .deferred { await read(id, for: request, wait: wait, members) }
    }

    private func read(
        _ id: TaskID, for request: APIRequest, wait: WaitPreference?, _ members: TaskMembers
    ) async -> ServerResponse {
        let head = request.head
        let tasks = services.service(for: request.caller)
        return await request.taskResponse(logger) { () async throws(TaskStoreError) in
            guard let record = request.noting(try await tasks.task(id)) else { return head.noSuchTask() }
            guard let wait else {
                return response(to: head, record, members, try await tasks.details(of: record, members))
            }
            let condition = Self.waitsForChange(head, record) ?? .done
            guard let later = try await tasks.wait(for: record, until: condition, timeout: wait.duration) else {
                return head.noSuchTask()
            }
            let details = try await tasks.details(of: later, members)
            return wait.applied(to: response(to: head, later, members, details))
        }
    }

    // MARK: Content

    /// Collects the content of a request, at most `server.max_json` bytes.
    ///
    /// - Parameter what: The content in words, for the response to a larger one.
    func collect(
        _ what: String, of head: RequestHead, _ respond: @escaping @Sendable ([UInt8]) -> ResponseDisposition
    ) -> RequestDisposition {
        let limit = limits.maxJSONBytes
        let tooLarge: @Sendable () -> ServerResponse = {
            head.response(.contentTooLarge, "expected \(what) of at most \(limit) bytes (server.max_json)")
        }
        return .buffered(limitBytes: limit, tooLarge: tooLarge, respond)
    }

    // MARK: Conditions

    /// Returns the condition of `?wait_for=change` with `If-None-Match`: a revision other than the client's.
    private static func waitsForChange(_ head: RequestHead, _ record: TaskRecord) -> TaskWatchers.Condition? {
        guard head.target.queryItems.contains(QueryItem(name: "wait_for", value: "change")),
            let known = head.headers[.ifNoneMatch].flatMap({ EntityTagCondition($0) })
        else { return nil }
        // If the client has another revision than the current one, the task has already changed.
        return .changed(from: known.matchesWeakly(record.entityTag) ? record.revision : 0)
    }

    /// Refuses unknown values of `wait_for` and `view`, which would otherwise be silently ignored.
    private static func checkValues(_ head: RequestHead) throws(QueryProblem) {
        for item in head.target.queryItems {
            let found = item.value.shortened(toBytes: 64)
            switch item.name {
            case "wait_for" where !["done", "change"].contains(item.value):
                throw QueryProblem("wait_for", "expected done or change, found \"\(found)\"")
            case "view" where item.value != "full":
                throw QueryProblem("view", "expected full, found \"\(found)\"")
            default: break
            }
        }
    }

    private func response(
        to head: RequestHead, _ record: TaskRecord, _ members: TaskMembers,
        _ details: TaskDetails = TaskDetails()
    ) -> ServerResponse {
        followed.note(record)
        var response = response(record, status: .ok, members: members, details: details)
        if let condition = head.headers[.ifNoneMatch].flatMap({ EntityTagCondition($0) }),
            // The delivery of the callback changes without the task, whose tag stays the same.
            details.delivery == nil, condition.matchesWeakly(record.entityTag)
        {
            // The server does not send the content with this status, but uses it for Content-Length.
            response.status = .notModified
            response.headers[.contentType] = nil
        }
        return response
    }

    /// Returns the response with a task.
    ///
    /// Not inlined, because its values would become a part of the frame of a function that suspends.
    @inline(never)
    func response(
        _ record: TaskRecord, status: HTTPResponse.Status, members: TaskMembers = .all,
        details: TaskDetails = TaskDetails()
    ) -> ServerResponse {
        let live = services.liveState(of: record, showing: members)
        var headers = HTTPFields()
        // Room for the location and for the request id.
        headers.reserveCapacity(6)
        headers.append(HTTPField(name: .contentType, value: "application/json"))
        headers.append(HTTPField(name: .eTag, value: record.entityTag.description))
        headers.append(HTTPField(name: .vary, value: "Prefer"))
        headers.append(HTTPField(name: .cacheControl, value: "no-cache"))
        if status == .accepted { headers[.location] = "/v1/tasks/\(record.id)" }
        let document = TaskRenderer.bytes(of: record, live: live, view: .full, members: members, details: details)
        return ServerResponse(
            status: status, headers: headers,
            body: .bytes(
                document, orShort: { TaskRenderer.bytes(of: record, live: live, view: .full, members: .short) }))
    }

    // MARK: List

    private func list(_ request: APIRequest) -> RequestDisposition {
        let head = request.head
        let query: TaskQuery
        let members: TaskMembers
        do {
            members = try FieldsQuery.read(head.target.queryItems)
            query = try TaskListQuery.read(head.target.queryItems, for: request.caller, at: services.now)
        } catch {
            return .immediate(error.response(to: head))
        }
        return .deferred {
            await head.response(logger) { () async throws(TaskStoreError) in
                let tasks = services.service(for: request.caller)
                return try await TaskListing(tasks, query: query, members: members).response()
            }
        }
    }
}

extension TaskRecord {
    /// The entity tag of the task, which changes with each stored change.
    var entityTag: EntityTag {
        EntityTag(opaque: "r\(revision)")
    }
}

extension ServerResponse {
    /// Creates a response with a JSON document that caches must revalidate.
    init(json: [UInt8], status: HTTPResponse.Status = .ok) {
        self.init(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-cache"], body: .bytes(json))
    }
}
