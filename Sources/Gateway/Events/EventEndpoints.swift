import HTTPServer
import HTTPTypes
import Logging
import TaskEvents
import TaskStore

/// `GET /v1/tasks/{id}/events` and `GET /v1/events`: what happens to tasks, as server-sent events (WHATWG HTML §9.2).
///
/// Who may see what is decided when a stream begins, and holds as long as it lasts.
struct EventEndpoints: Sendable {
    let watch: EventWatch
    let logger: Logger

    var routes: [APIRoute] {
        [
            APIRoute(.get, "/v1/tasks/{id}/events", needs: .tasksRead) { ofTask($0) },
            APIRoute(.get, "/v1/events", needs: .tasksRead) { ofAll($0) },
        ]
    }

    // MARK: One task

    private func ofTask(_ request: APIRequest) -> HTTPServer.Admission {
        let head = request.head
        guard let id = request.taskID else { return .answer(head.answer(.noSuchTask)) }
        let last: LastEventID?
        do {
            last = try EventQuery.lastEventID(of: head)
        } catch {
            return .answer(error.answer(to: head))
        }
        return .bodyless {
            await request.answerAboutTask(logger) { () async throws(TaskStoreError) in
                try await ofTask(request, id, after: last)
            }
        }
    }

    private func ofTask(
        _ request: APIRequest, _ id: TaskID, after last: LastEventID?
    ) async throws(TaskStoreError) -> ServerResponse {
        let store = watch.dispatcher.store
        // Before the task is read: what is newer than that is told afterwards.
        let newest = watch.hub.newest
        // From the store: what is remembered may be older than events that were told already.
        guard let record = request.visible(try await store.task(id)) else { return request.head.answer(.noSuchTask) }
        guard let last else {
            let progress = record.state == .running ? watch.dispatcher.liveState(of: record).progress : nil
            let piece = EventDocument.current(record, id: newest, progress: progress)
            let beginning: TaskEventStream.Beginning =
                record.state.isTerminal ? .last(piece) : .now(piece, after: newest)
            return stream(of: .task(id), from: beginning, knownRevision: record.revision)
        }
        if record.state.isTerminal {
            let missed = try await store.events(after: last.number, task: id, limit: 1)
            // An `EventSource` comes back for ever unless it is told that there is nothing more.
            if missed.isEmpty { return ServerResponse(status: .noContent, headers: [.cacheControl: "no-store"]) }
        }
        let bounds = try await store.eventBounds()
        guard last.number <= bounds.newest else { return resync(.task(id), bounds) }
        return stream(of: .task(id), from: .replay(after: last.number))
    }

    // MARK: All tasks

    private func ofAll(_ request: APIRequest) -> HTTPServer.Admission {
        let head = request.head
        let last: LastEventID?
        let query: TaskQuery
        do {
            last = try EventQuery.lastEventID(of: head)
            query = try EventQuery.filters(of: head, for: request.caller)
        } catch {
            return .answer(error.answer(to: head))
        }
        return .bodyless {
            await head.answer(logger) { () async throws(TaskStoreError) in try await ofAll(query, after: last) }
        }
    }

    private func ofAll(_ query: TaskQuery, after last: LastEventID?) async throws(TaskStoreError) -> ServerResponse {
        let store = watch.dispatcher.store
        let interest = EventInterest.matching(EventFilter(query))
        guard let last else {
            let newest = watch.hub.newest
            let counts = try await store.counts()
            let piece = EventDocument.counts(counts, query: query, id: newest, at: watch.dispatcher.now())
            return stream(of: interest, from: .now(piece, after: newest))
        }
        let bounds = try await store.eventBounds()
        // Whoever wants all there is has missed nothing.
        let hasMissed = last.number > 0 && last.number < bounds.forgotten
        guard !hasMissed, last.number <= bounds.newest else { return resync(interest, bounds) }
        return stream(of: interest, from: .replay(after: last.number))
    }

    // MARK: The answer

    private func resync(_ interest: EventInterest, _ bounds: EventBounds) -> ServerResponse {
        let piece = EventDocument.resync(interest, id: bounds.newest, at: watch.dispatcher.now())
        return stream(of: interest, from: .now(piece, after: bounds.newest))
    }

    private func stream(
        of interest: EventInterest, from beginning: TaskEventStream.Beginning, knownRevision: Int64 = 0
    ) -> ServerResponse {
        let stream = TaskEventStream(watch, of: interest, from: beginning, knownRevision: knownRevision)
        return ServerResponse(
            status: .ok, headers: Self.headers, body: .stream(ResponseStream { try await stream.next() }))
    }

    /// Neither caches nor proxies may hold back what comes (`X-Accel-Buffering` is nginx's).
    private static let headers: HTTPFields = [
        .contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no",
    ]
}
