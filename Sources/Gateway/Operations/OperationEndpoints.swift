import HTTPServer
import HTTPTypes
import JSON
import TaskStore

/// How the gateway is: `/healthz`, `/readyz`, `/version`, `/problems/…` and the index.
struct OperationEndpoints: Sendable {
    let store: any TaskStore
    let versions: [(name: String, version: String)]
    let isDraining: @Sendable () -> Bool

    var routes: [APIRoute] {
        [
            APIRoute(.get, "/healthz", needs: .nothing) { _ in .answer(Self.healthy) },
            APIRoute(.get, "/readyz", needs: .nothing) { request in .bodyless { await ready(request.head) } },
            APIRoute(.get, "/version", needs: .nothing) { _ in .answer(version) },
            APIRoute(.get, "/problems", needs: .nothing) { _ in .answer(Self.problems) },
            APIRoute(.get, "/problems/{name}", needs: .nothing) { .answer(problem($0.head, $0.parameters)) },
            APIRoute(.get, "/", needs: .nothing) { _ in .answer(Self.index) },
        ]
    }

    /// The process is alive: it says so without asking anybody.
    private static let healthy = ServerResponse(json: Array(#"{"status":"ok"}"#.utf8))

    private func ready(_ head: RequestHead) async -> ServerResponse {
        guard !isDraining() else {
            return head.answer(.notReady, "the gateway is stopping", headers: [.retryAfter: "1"])
        }
        do {
            try await store.checkWritable()
            return ServerResponse(json: Array(#"{"status":"ready"}"#.utf8))
        } catch {
            return head.answer(.notReady, "the task store: \(error.message)", headers: [.retryAfter: "1"])
        }
    }

    private var version: ServerResponse {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, version) in versions {
            writer.member(name)
            writer.string(version)
        }
        writer.endObject()
        return ServerResponse(json: writer.bytes)
    }

    // MARK: Problems

    private static let problems: ServerResponse = {
        var writer = JSONWriter()
        writer.beginArray()
        for type in ProblemType.all { write(type, to: &writer) }
        writer.endArray()
        return ServerResponse(json: writer.bytes)
    }()

    private func problem(_ head: RequestHead, _ parameters: RouteParameters) -> ServerResponse {
        guard let type = ProblemType.all.first(where: { $0.name == parameters["name"] }) else {
            return head.answer(.notFound, "there is no such problem type; /problems lists them")
        }
        var writer = JSONWriter()
        Self.write(type, to: &writer)
        return ServerResponse(json: writer.bytes)
    }

    private static func write(_ type: ProblemType, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type")
        writer.string(type.path)
        writer.member("title")
        writer.string(type.title)
        writer.member("status")
        writer.int(type.status.code)
        writer.endObject()
    }

    // MARK: Index

    private static let index: ServerResponse = {
        var writer = JSONWriter()
        writer.beginObject()
        let places: [(StaticString, String)] = [
            ("tasks", "/v1/tasks"), ("sessions", "/v1/sessions"), ("health", "/healthz"), ("readiness", "/readyz"),
            ("version", "/version"), ("problems", "/problems"),
        ]
        for (name, path) in places {
            writer.member(name)
            writer.string(path)
        }
        writer.endObject()
        return ServerResponse(json: writer.bytes)
    }()
}
