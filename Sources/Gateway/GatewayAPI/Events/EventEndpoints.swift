import ErrandHTTPServer
import ErrandTaskEngine
import ErrandTaskEvents
import ErrandTaskStore
import HTTPTypes
import Logging

/// `GET /v1/tasks/{id}/events` and `GET /v1/events`: events of tasks as server-sent events (WHATWG HTML §9.2).
///
/// Permissions are checked when a stream begins, and stay in effect until it ends.
struct EventEndpoints: Sendable {
    let watch: EventWatch
    let services: TaskServices
    let logger: Logger

    var routes: [APIRoute] {
        [
            APIRoute(
                .get, "/v1/tasks/{id}/events", needs: .tasksRead, parameters: .named([EventQuery.parameter]),
                handler: ofTask),
            APIRoute(.get, "/v1/events", needs: .tasksRead, parameters: .judgedByEndpoint, handler: ofAll),
        ]
    }

    // MARK: One task

    private func ofTask(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        let id = try request.taskID
        let last = try EventQuery.lastEventID(of: request.head)
        return .deferred {
            await request.taskResponse(logger) { () async throws(TaskStoreError) in
                try await ofTask(request, id, after: last)
            }
        }
    }

    private func ofTask(
        _ request: APIRequest, _ id: TaskID, after last: LastEventID?
    ) async throws(TaskStoreError) -> ServerResponse {
        let store = watch.context.store
        // Taken before the task is read, so that later events are sent.
        let newest = watch.hub.newest
        // Read from the store, as the task in memory may be older than events already sent.
        let tasks = services.service(for: request.caller)
        guard let record = request.noting(try await tasks.stored(id)) else { return request.head.noSuchTask() }
        guard let last else {
            let live = record.state == .running ? watch.dispatcher.liveState(of: record) : LiveTaskState()
            let piece = EventDocument.current(record, id: newest, live)
            let beginning: TaskEventStream.Beginning =
                record.state.isTerminal ? .last(piece) : .now(piece, after: newest)
            return stream(of: .task(id), from: beginning, knownRevision: record.revision)
        }
        if record.state.isTerminal {
            let missed = try await store.events(after: last.number, task: id, limit: 1)
            // An `EventSource` reconnects forever unless it gets a 204 response.
            if missed.isEmpty { return ServerResponse(status: .noContent, headers: [.cacheControl: "no-store"]) }
        }
        guard try await store.eventBounds().knows(last.number) else {
            return resync(.task(id), after: newest, isOver: record.state.isTerminal)
        }
        return stream(of: .task(id), from: .replay(after: last.number))
    }

    // MARK: All tasks

    private func ofAll(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        let head = request.head
        let last = try EventQuery.lastEventID(of: head)
        let query = try EventQuery.filters(of: head, for: request.caller, at: watch.context.now())
        return .deferred {
            await head.response(logger) { () async throws(TaskStoreError) in try await ofAll(query, after: last) }
        }
    }

    private func ofAll(_ query: TaskQuery, after last: LastEventID?) async throws(TaskStoreError) -> ServerResponse {
        let store = watch.context.store
        let interest = EventInterest.matching(EventFilter(query))
        guard let last else {
            let newest = watch.hub.newest
            let counts = try await store.counts()
            let piece = EventDocument.counts(counts, query: query, id: newest, at: watch.context.now())
            return stream(of: interest, from: .now(piece, after: newest))
        }
        let bounds = try await store.eventBounds()
        // A client that requests all events from the beginning has missed none.
        let hasMissed = last.number > 0 && last.number < bounds.forgotten
        guard !hasMissed, bounds.knows(last.number) else { return resync(interest, after: bounds.newest) }
        return stream(of: interest, from: .replay(after: last.number))
    }

    // MARK: The response

    /// Returns a stream that tells its client to read the tasks again, and continues after the newest event.
    ///
    /// - Parameter isOver: True if no events follow.
    private func resync(_ interest: EventInterest, after newest: Int64, isOver: Bool = false) -> ServerResponse {
        let piece = EventDocument.resync(interest, id: newest, at: watch.context.now())
        return stream(of: interest, from: isOver ? .last(piece) : .now(piece, after: newest))
    }

    private func stream(
        of interest: EventInterest, from beginning: TaskEventStream.Beginning, knownRevision: Int64 = 0
    ) -> ServerResponse {
        let stream = TaskEventStream(watch, of: interest, from: beginning, knownRevision: knownRevision)
        return ServerResponse(
            status: .ok, headers: Self.headers, body: .stream(ResponseStream { try await stream.next() }))
    }

    /// Prevents caching, and buffering by proxies (`X-Accel-Buffering` is for nginx).
    private static let headers: HTTPFields = [
        .contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no",
    ]
}
