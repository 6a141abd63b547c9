import Configuration
import HTTPServer
import HTTPTypes
import JSON
import SessionCore
import TaskStore

/// `/v1/sessions`: the configuration in force, without secrets, and what each session is doing.
struct SessionEndpoints: Sendable {
    let dispatcher: Dispatcher
    let sessions: SessionCatalog

    var routes: [Route] {
        [
            Route(.get, "/v1/sessions") { head, _ in .bodyless { await list(head) } },
            Route(.get, "/v1/sessions/{name}") { head, parameters in
                guard let name = parameters["name"], let session = sessions[name] else {
                    let known = sessions.names.joined(separator: ", ")
                    return .answer(head.answer(.noSuchSession, "the sessions are \(known)"))
                }
                return .bodyless { await read(head, session) }
            },
        ]
    }

    private func list(_ head: RequestHead) async -> ServerResponse {
        await answer(head) { counts, writer in
            writer.beginObject()
            writer.member("sessions")
            writer.beginArray()
            for session in sessions.sessions { write(session, counts, to: &writer) }
            writer.endArray()
            writer.endObject()
        }
    }

    private func read(_ head: RequestHead, _ session: Session) async -> ServerResponse {
        await answer(head) { counts, writer in write(session, counts, to: &writer) }
    }

    private func answer(
        _ head: RequestHead, _ write: (TaskCounts, inout JSONWriter) -> Void
    ) async -> ServerResponse {
        do {
            let counts = try await dispatcher.store.counts()
            var writer = JSONWriter()
            write(counts, &writer)
            return ServerResponse(json: writer.bytes)
        } catch {
            return head.answer(.storeUnavailable, error.message, headers: [.retryAfter: "1"])
        }
    }

    private func write(_ session: Session, _ counts: TaskCounts, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name")
        writer.string(session.name)
        writer.member("is_default")
        writer.bool(session.name == sessions.defaultName)
        writer.member("configuration")
        ConfigurationPrinter.write(session.configuration, to: &writer)
        writer.member("tasks")
        writer.beginObject()
        for state in TaskState.allCases {
            writer.member(state.rawValue)
            writer.int(counts[session.name, state])
        }
        writer.endObject()
        writer.member("in_flight")
        writer.int(dispatcher.running(session: session.name))
        writer.member("links")
        writer.beginObject()
        writer.member("self")
        writer.string("/v1/sessions/\(session.name)")
        writer.member("tasks")
        writer.string("/v1/tasks?session=\(session.name)")
        writer.endObject()
        writer.endObject()
    }
}
