import Configuration
import HTTPServer
import HTTPTypes
import JSON
import Logging
import TaskStore

/// `/v1/tasks`: read and list; what makes and changes tasks is in the files beside.
struct TaskEndpoints: Sendable {
    let dispatcher: Dispatcher
    let limits: RequestLimits
    let intake: TaskIntake
    let logger: Logger

    var routes: [APIRoute] {
        [
            APIRoute(.post, "/v1/tasks", needs: .tasksWrite, parameters: ["wait"]) { create($0) },
            APIRoute(.get, "/v1/tasks", needs: .tasksRead) { list($0) },
            APIRoute(.get, "/v1/tasks/{id}", needs: .tasksRead) { read($0) },
            APIRoute(.delete, "/v1/tasks/{id}", needs: .tasksWrite) { delete($0) },
            APIRoute(.post, "/v1/tasks/{id}/cancel", needs: .tasksWrite) { cancel($0) },
            APIRoute(.post, "/v1/tasks/{id}/suspend", needs: .tasksWrite) { suspend($0) },
            APIRoute(.post, "/v1/tasks/{id}/resume", needs: .tasksWrite) { resume($0) },
            APIRoute(.post, "/v1/tasks/{id}/run-now", needs: .tasksWrite) { runNow($0) },
            APIRoute(.post, "/v1/tasks/{id}/retry", needs: .tasksWrite) { retry($0) },
            APIRoute(.patch, "/v1/tasks/{id}", needs: .tasksWrite) { edit($0) },
        ]
    }

    // MARK: Read

    private func read(_ request: APIRequest) -> HTTPServer.Admission {
        let head = request.head
        guard let id = request.taskID else { return .answer(head.answer(.noSuchTask)) }
        let wait: WaitPreference?
        do {
            wait = try WaitPreference.read(head, limit: limits.maxWait)
        } catch {
            return .answer(error.answer(to: head))
        }
        if wait == nil, let record = request.visible(dispatcher.recent.record(id)) {
            return .answer(answer(to: head, record))
        }
        return .bodyless { await read(request, id, wait) }
    }

    private func read(_ request: APIRequest, _ id: TaskID, _ wait: WaitPreference?) async -> ServerResponse {
        let head = request.head
        return await request.answerAboutTask(logger) { () async throws(TaskStoreError) in
            guard let record = request.visible(try await dispatcher.task(id)) else { return head.answer(.noSuchTask) }
            guard let wait else { return answer(to: head, record) }
            let condition = Self.waitsForChange(head, record) ?? .done
            guard let later = try await dispatcher.wait(for: record, until: condition, timeout: wait.duration) else {
                return head.answer(.noSuchTask)
            }
            return wait.applied(to: answer(to: head, later))
        }
    }

    /// `?wait_for=change` with `If-None-Match`: wait until the task differs from what the client has.
    private static func waitsForChange(_ head: RequestHead, _ record: TaskRecord) -> TaskWatchers.Condition? {
        guard head.target.queryItems.contains(QueryItem(name: "wait_for", value: "change")),
            let known = head.headers[.ifNoneMatch].flatMap({ EntityTagCondition($0) })
        else { return nil }
        // The client has another revision than the current one: it has changed already.
        return .changed(from: known.matchesWeakly(record.entityTag) ? record.revision : 0)
    }

    private func answer(to head: RequestHead, _ record: TaskRecord) -> ServerResponse {
        var response = answer(record, status: .ok)
        if let condition = head.headers[.ifNoneMatch].flatMap({ EntityTagCondition($0) }),
            condition.matchesWeakly(record.entityTag)
        {
            // The content stays behind: the server does not send it, and knows by it how long it would be.
            response.status = .notModified
            response.headers[.contentType] = nil
        }
        return response
    }

    /// Reads what a caller wants created.
    func decoder(for caller: Caller) -> TaskDecoder {
        TaskDecoder(
            sessions: dispatcher.sessions, caller: caller, maxDepth: limits.maxDepth, now: dispatcher.now)
    }

    func answer(_ record: TaskRecord, status: HTTPResponse.Status) -> ServerResponse {
        let live = record.state.isTerminal ? LiveTaskState() : dispatcher.liveState(of: record)
        var headers: HTTPFields = [
            .contentType: "application/json", .eTag: record.entityTag.description, .vary: "Prefer",
            .cacheControl: "no-cache",
        ]
        if status == .accepted { headers[.location] = "/v1/tasks/\(record.id)" }
        return ServerResponse(
            status: status, headers: headers,
            body: .bytes(TaskRenderer.bytes(of: record, live: live, view: .full)))
    }

    // MARK: List

    private func list(_ request: APIRequest) -> HTTPServer.Admission {
        let head = request.head
        let query: TaskQuery
        do {
            query = try TaskListQuery.read(head.target.queryItems, for: request.caller)
        } catch {
            return .answer(error.answer(to: head))
        }
        return .bodyless {
            await head.answer(logger) { () async throws(TaskStoreError) in
                answer(try await dispatcher.store.tasks(query))
            }
        }
    }

    private func answer(_ page: TaskPage) -> ServerResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("tasks")
        writer.beginArray()
        for record in page.tasks {
            TaskRenderer.write(record, live: dispatcher.liveState(of: record), view: .listed, to: &writer)
        }
        writer.endArray()
        writer.member("next_page_token")
        if let next = page.next { writer.string(next.description) } else { writer.null() }
        writer.endObject()
        return ServerResponse(json: writer.bytes)
    }
}

extension TaskRecord {
    /// The tag of the task as it is read: it changes with each stored change.
    var entityTag: EntityTag {
        EntityTag(opaque: "r\(revision)")
    }
}

extension ServerResponse {
    /// An answer with a JSON document that must not be kept without asking again.
    init(json: [UInt8], status: HTTPResponse.Status = .ok) {
        self.init(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-cache"], body: .bytes(json))
    }
}
