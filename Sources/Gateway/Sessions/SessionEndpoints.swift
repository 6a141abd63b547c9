import HTTPServer
import HTTPTypes
import JSON
import Logging
import TaskStore

/// `/v1/sessions`: what each session is and does, and what operators do to it.
struct SessionEndpoints: Sendable {
    let dispatcher: Dispatcher
    let operations: SessionOperations
    let logger: Logger

    private var sessions: SessionCatalog { dispatcher.sessions }

    var routes: [Route] {
        [
            Route(.get, "/v1/sessions") { head, _ in .bodyless { await list(head) } },
            Route(.get, "/v1/sessions/{name}") { head, parameters in
                named(head, parameters) { name in .bodyless { await read(head, name) } }
            },
            Route(.post, "/v1/sessions/{name}/suspend") { head, parameters in
                named(head, parameters) { suspend(head, $0) }
            },
            Route(.post, "/v1/sessions/{name}/resume") { head, parameters in
                named(head, parameters) { resume(head, $0) }
            },
            Route(.post, "/v1/sessions/{name}/purge") { head, parameters in
                named(head, parameters) { purge(head, $0) }
            },
            Route(.post, "/v1/sessions/{name}/invalidate") { head, parameters in
                named(head, parameters) { invalidate(head, $0) }
            },
        ]
    }

    private func named(
        _ head: RequestHead, _ parameters: RouteParameters, _ admit: (String) -> HTTPServer.Admission
    ) -> HTTPServer.Admission {
        guard let name = parameters["name"], sessions[name] != nil else {
            let known = sessions.names.joined(separator: ", ")
            return .answer(head.answer(.noSuchSession, "the sessions are \(known)"))
        }
        return admit(name)
    }

    // MARK: Reading

    private func list(_ head: RequestHead) async -> ServerResponse {
        await head.answer(logger) { () async throws(TaskStoreError) in
            let counts = try await dispatcher.store.counts()
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("sessions")
            writer.beginArray()
            for name in sessions.names { SessionDocument(name, dispatcher, counts: counts)?.write(to: &writer) }
            writer.endArray()
            writer.endObject()
            return ServerResponse(json: writer.bytes)
        }
    }

    private func read(_ head: RequestHead, _ name: String) async -> ServerResponse {
        await head.answer(logger) { () async throws(TaskStoreError) in
            var writer = JSONWriter()
            try await write(name, to: &writer)
            return ServerResponse(json: writer.bytes)
        }
    }

    private func write(_ name: String, to writer: inout JSONWriter) async throws(TaskStoreError) {
        let counts = try await dispatcher.store.counts()
        SessionDocument(name, dispatcher, counts: counts)?.write(to: &writer)
    }

    // MARK: Operations

    private func suspend(_ head: RequestHead, _ name: String) -> HTTPServer.Admission {
        ActionOptions.admit(head) {
            await head.answer(logger) { () async throws(TaskStoreError) in
                try await operations.suspend(name)
                return await read(head, name)
            }
        }
    }

    private func resume(_ head: RequestHead, _ name: String) -> HTTPServer.Admission {
        ActionOptions.admit(head) {
            await head.answer(logger) { () async throws(TaskStoreError) in
                try await operations.resume(name)
                return await read(head, name)
            }
        }
    }

    private func purge(_ head: RequestHead, _ name: String) -> HTTPServer.Admission {
        ActionOptions.admit(head) {
            await head.answer(logger) { () async throws(TaskStoreError) in
                try await answer(name, canceled: operations.purge(name))
            }
        }
    }

    private func invalidate(_ head: RequestHead, _ name: String) -> HTTPServer.Admission {
        ActionOptions.admit(head) { options in
            SessionOperations.Invalidation(
                cancelsTasks: options.flag("cancel_pending"), resets: options.flag("reset"))
        } perform: { invalidation in
            await head.answer(logger) { () async throws(TaskStoreError) in
                try await answer(name, canceled: operations.invalidate(name, invalidation))
            }
        }
    }

    /// How many tasks were canceled, and the session as it is then.
    private func answer(_ name: String, canceled: Int) async throws(TaskStoreError) -> ServerResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("canceled")
        writer.int(canceled)
        writer.member("session")
        try await write(name, to: &writer)
        writer.endObject()
        return ServerResponse(json: writer.bytes)
    }
}
