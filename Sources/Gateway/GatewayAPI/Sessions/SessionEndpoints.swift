import ErrandConfiguration
import ErrandHTTPServer
import ErrandJSON
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes
import Logging

/// `/v1/sessions`: the state of each session, and the operations of operators.
struct SessionEndpoints: Sendable {
    let context: TaskContext
    let dispatcher: Dispatcher
    let operations: SessionOperations
    let limits: RequestLimits

    private var sessions: SessionCatalog { context.sessions }
    private var logger: Logger { context.logger }

    var routes: [APIRoute] {
        [
            APIRoute(.get, "/v1/sessions", needs: .tasksRead) { request in .deferred { await list(request) } },
            APIRoute(.get, "/v1/sessions/{name}", needs: .tasksRead) { request in
                named(request) { name in .deferred { await read(request.head, name) } }
            },
            APIRoute(.post, "/v1/sessions/{name}/suspend", needs: .admin) { request in
                named(request) { suspend(request.head, $0) }
            },
            APIRoute(.post, "/v1/sessions/{name}/resume", needs: .admin) { request in
                named(request) { resume(request.head, $0) }
            },
            APIRoute(.post, "/v1/sessions/{name}/purge", needs: .admin) { request in
                named(request) { purge(request.head, $0) }
            },
            APIRoute(.post, "/v1/sessions/{name}/invalidate", needs: .admin) { request in
                named(request) { invalidate(request.head, $0) }
            },
        ]
    }

    /// Admits a request for a session by name; a session that the caller must not see is not found.
    private func named(
        _ request: APIRequest, _ admit: (String) -> RequestDisposition
    ) -> RequestDisposition {
        guard let name = request.parameters["name"], request.caller.sees(session: name), sessions[name] != nil else {
            let known = names(for: request.caller).joined(separator: ", ")
            return .immediate(request.head.response(.noSuchSession, "unknown session; expected one of \(known)"))
        }
        return admit(name)
    }

    private func names(for caller: Caller) -> [String] {
        sessions.names.filter(caller.sees)
    }

    // MARK: Reading

    private func list(_ request: APIRequest) async -> ServerResponse {
        await request.head.response(logger) { () async throws(TaskStoreError) in
            let counts = try await context.store.counts()
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("sessions")
            writer.beginArray()
            for name in names(for: request.caller) {
                SessionDocument(name, in: sessions, dispatcher: dispatcher, counts: counts)?.write(to: &writer)
            }
            writer.endArray()
            writer.endObject()
            return ServerResponse(json: writer.bytes)
        }
    }

    private func read(_ head: RequestHead, _ name: String) async -> ServerResponse {
        await head.response(logger) { () async throws(TaskStoreError) in
            // A reload may have removed the session since the request was admitted.
            guard let document = try await document(name) else {
                return head.response(.noSuchSession, "the session has been removed from the configuration")
            }
            var writer = JSONWriter()
            document.write(to: &writer)
            return ServerResponse(json: writer.bytes)
        }
    }

    private func document(_ name: String) async throws(TaskStoreError) -> SessionDocument? {
        let counts = try await context.store.counts()
        return SessionDocument(name, in: sessions, dispatcher: dispatcher, counts: counts)
    }

    // MARK: Operations

    private func suspend(_ head: RequestHead, _ name: String) -> RequestDisposition {
        ActionOptions.admit(head, maxDepth: limits.maxDepth) {
            await head.response(logger) { () async throws(TaskStoreError) in
                try await operations.suspend(name)
                return await read(head, name)
            }
        }
    }

    private func resume(_ head: RequestHead, _ name: String) -> RequestDisposition {
        ActionOptions.admit(head, maxDepth: limits.maxDepth) {
            await head.response(logger) { () async throws(TaskStoreError) in
                try await operations.resume(name)
                return await read(head, name)
            }
        }
    }

    private func purge(_ head: RequestHead, _ name: String) -> RequestDisposition {
        ActionOptions.admit(head, maxDepth: limits.maxDepth) {
            await head.response(logger) { () async throws(TaskStoreError) in
                try await response(name, canceled: operations.purge(name))
            }
        }
    }

    private func invalidate(_ head: RequestHead, _ name: String) -> RequestDisposition {
        ActionOptions.admit(head, maxDepth: limits.maxDepth) { options in
            SessionOperations.Invalidation(
                cancelsTasks: options.flag("cancel_pending"), resets: options.flag("reset"))
        } perform: { invalidation in
            await head.response(logger) { () async throws(TaskStoreError) in
                try await response(name, canceled: operations.invalidate(name, invalidation))
            }
        }
    }

    /// Returns the response with the number of canceled tasks and the current session.
    private func response(_ name: String, canceled: Int) async throws(TaskStoreError) -> ServerResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("canceled", canceled)
        writer.member("session")
        if let document = try await document(name) { document.write(to: &writer) } else { writer.null() }
        writer.endObject()
        return ServerResponse(json: writer.bytes)
    }
}
