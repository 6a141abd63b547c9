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
            APIRoute(.post, "/v1/tasks", needs: .tasksWrite, parameters: .named(["wait"]), handler: create),
            APIRoute(.get, "/v1/tasks", needs: .tasksRead, parameters: .judgedByEndpoint, handler: list),
            APIRoute(.get, "/v1/tasks/counts", needs: .tasksRead, parameters: .judgedByEndpoint, handler: count),
            APIRoute(
                .get, "/v1/tasks/{id}", needs: .tasksRead, parameters: .named(["wait", "wait_for", "view", "fields"]),
                handler: read),
            APIRoute(.delete, "/v1/tasks/{id}", needs: .tasksWrite, handler: delete),
            APIRoute(.post, "/v1/tasks/{id}/cancel", needs: .tasksWrite, handler: cancel),
            APIRoute(.post, "/v1/tasks/{id}/suspend", needs: .tasksWrite, handler: suspend),
            APIRoute(.post, "/v1/tasks/{id}/resume", needs: .tasksWrite, handler: resume),
            APIRoute(.post, "/v1/tasks/{id}/run-now", needs: .tasksWrite, handler: runNow),
            APIRoute(.post, "/v1/tasks/{id}/retry", needs: .tasksWrite, parameters: .named(["wait"]), handler: retry),
            APIRoute(.patch, "/v1/tasks/{id}", needs: .tasksWrite, handler: edit),
        ]
    }

    // MARK: Read

    private func read(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        let head = request.head
        let id = try request.taskID
        try Self.checkValues(head)
        let members = try FieldsQuery.read(head.target.queryItems)
        let wait = try WaitPreference.read(head, limit: limits.maxWait)
        let conditions = try Preconditions(head)
        let known = try Self.known(to: head, waiting: wait)
        let tasks = services.service(for: request.caller)
        if wait == nil, let record = request.noting(tasks.recent(id)), !tasks.showsDetails(record, members) {
            return .immediate(response(to: head, with: record, members: members, if: conditions))
        }
        return .deferred { await read(id, for: request, wait: wait, known: known, members, if: conditions) }
    }

    private func read(
        _ id: TaskID, for request: APIRequest, wait: WaitPreference?, known: EntityTagCondition?,
        _ members: TaskMembers, if conditions: Preconditions
    ) async -> ServerResponse {
        let head = request.head
        let tasks = services.service(for: request.caller)
        return await request.taskResponse(logger) { () async throws(TaskStoreError) in
            guard let record = request.noting(try await tasks.task(id)) else { return head.noSuchTask() }
            guard let wait else {
                let details = try await tasks.details(of: record, members)
                return response(to: head, with: record, members: members, details: details, if: conditions)
            }
            let change = known.map { Self.change(from: $0, of: record) } ?? .done
            guard let later = try await tasks.wait(for: record, until: change, timeout: wait.duration) else {
                return head.noSuchTask()
            }
            let details = try await tasks.details(of: later, members)
            return wait.applied(
                to: response(
                    to: head, with: later, members: members, details: details, if: conditions,
                    awaitsRevision: known != nil))
        }
    }

    // MARK: Conditions

    /// Returns the revisions that the client of `?wait_for=change` has, from `If-None-Match`; `nil` for another wait.
    private static func known(
        to head: RequestHead, waiting wait: WaitPreference?
    ) throws(RequestRefusal) -> EntityTagCondition? {
        guard head.target.queryItems.contains(QueryItem(name: "wait_for", value: "change")) else { return nil }
        guard wait != nil else { throw .parameter("wait_for", "needs wait, as in ?wait=30s&wait_for=change") }
        guard let known = try EntityTagCondition.read(.ifNoneMatch, of: head), known != .any else {
            throw .field(.ifNoneMatch, "wait_for=change expects the ETag of the task, such as \"r1\"")
        }
        return known
    }

    /// Returns the condition of a revision other than the client's.
    private static func change(from known: EntityTagCondition, of record: TaskRecord) -> TaskWatchers.Condition {
        // If the client has another revision than the current one, the task has already changed.
        .changed(from: known.matchesWeakly(record.entityTag) ? record.revision : 0)
    }

    /// Refuses unknown values of `wait_for` and `view`, which would otherwise be silently ignored.
    private static func checkValues(_ head: RequestHead) throws(RequestRefusal) {
        for item in head.target.queryItems {
            switch item.name {
            case "wait_for" where !["done", "change"].contains(item.value):
                throw .parameter("wait_for", expected: "done or change", found: item.value)
            case "view" where item.value != "full":
                throw .parameter("view", expected: "full", found: item.value)
            default: break
            }
        }
    }

    /// Returns the response with a task.
    ///
    /// - Parameter awaitsRevision: True for a client that has waited for another revision, to which a delivery of the
    ///   callback is no news. Default: false.
    private func response(
        to head: RequestHead, with record: TaskRecord, members: TaskMembers,
        details: TaskDetails = TaskDetails(), if conditions: Preconditions, awaitsRevision: Bool = false
    ) -> ServerResponse {
        let verdict = conditions.verdict(on: record.entityTag)
        guard verdict != .failed else { return head.changedTask(record) }
        followed.note(record)
        let document = services.response(record, status: .ok, members: members, details: details)
        // The delivery of the callback changes without the task, whose tag stays the same.
        let isKnown = awaitsRevision || details.delivery == nil
        return isKnown && verdict == .notModified ? document.notModified : document
    }

    // MARK: List

    private func list(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        let head = request.head
        let members = try FieldsQuery.read(head.target.queryItems)
        let query = try TaskListQuery.read(head.target.queryItems, for: request.caller, at: services.now)
        return .deferred {
            await head.response(logger) { () async throws(TaskStoreError) in
                let tasks = services.service(for: request.caller)
                return try await TaskListing(tasks, query: query, members: members).response()
            }
        }
    }
}
