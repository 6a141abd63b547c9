import ErrandHTTPServer
import ErrandJSON
import ErrandTaskStore
import HTTPTypes

/// The endpoints for operators, which need no token unless `auth.protect_operations` is set.
struct OperationEndpoints: Sendable {
    let probe: ReadinessProbe
    /// Returns true if the disk has less free space than `files.min_free`.
    let isDiskShort: @Sendable () -> Bool
    let versions: [(name: String, version: String)]
    let watchdog: TaskWatchdog
    let isDraining: @Sendable () -> Bool
    /// Returns true if clients can create tasks in at least one session.
    let hasSessions: @Sendable () -> Bool
    /// Returns the metrics.
    let metrics: @Sendable (RequestHead) async -> ServerResponse

    var routes: [APIRoute] {
        [
            APIRoute(.get, "/healthz", needs: .nothing) { .immediate(health($0.head)) },
            APIRoute(.get, "/readyz", needs: .nothing) { request in .deferred { await ready(request.head) } },
            APIRoute(.get, "/metrics", needs: .nothing) { request in .deferred { await metrics(request.head) } },
            APIRoute(.get, "/version", needs: .nothing) { _ in .immediate(version) },
            APIRoute(.get, "/problems", needs: .nothing) { _ in .immediate(Self.problems) },
            APIRoute(.get, "/problems/{name}", needs: .nothing) { .immediate(problem($0.head, $0.parameters)) },
            // Not on the server's thread: the first request converts the document.
            APIRoute(.get, "/openapi.json", needs: .nothing) { _ in .deferred { Self.openAPIAsJSON } },
            APIRoute(.get, "/openapi.yaml", needs: .nothing) { _ in .deferred { Self.openAPIAsYAML } },
            APIRoute(.get, "/", needs: .nothing) { _ in .immediate(hasSessions() ? Self.index : Self.indexWithHint) },
        ]
    }

    /// Reports that the process is alive and runs tasks, on the server's thread, without starting a task.
    private func health(_ head: RequestHead) -> ServerResponse {
        guard let delay = watchdog.delay else { return Self.healthy }
        return head.response(
            .tasksStuck, "no Swift task has run for \(delay.components.seconds) s; restart the process",
            headers: [.retryAfter: "1"])
    }

    private static let healthy = ServerResponse(json: Array(#"{"status":"ok"}"#.utf8))

    /// Reports whether clients can use the gateway.
    ///
    /// While only `files.min_free` is short, it accepts tasks, and clients can read, cancel and delete those that it
    /// has. A 503 would take the only instance out of service.
    private func ready(_ head: RequestHead) async -> ServerResponse {
        guard !isDraining() else {
            return head.response(.notReady, "the gateway is stopping", headers: [.retryAfter: "1"])
        }
        if let error = await probe.check() {
            return head.response(.notReady, "the task store: \(error.message)", headers: [.retryAfter: "1"])
        }
        return isDiskShort() ? Self.readyOnShortDisk : Self.readyToServe
    }

    private static let readyToServe = ServerResponse(json: Array(#"{"status":"ready"}"#.utf8))

    private static let readyOnShortDisk = ServerResponse(json: Array(#"{"status":"ready","hold":"disk_full"}"#.utf8))

    private var version: ServerResponse {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, version) in versions {
            writer.member(name, version)
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
            return head.response(.notFound, "unknown problem type; /problems lists them")
        }
        var writer = JSONWriter()
        Self.write(type, to: &writer)
        return ServerResponse(json: writer.bytes)
    }

    private static func write(_ type: ProblemType, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", type.path)
        writer.member("title", type.title)
        writer.member("status", type.status.code)
        writer.endObject()
    }

    // MARK: OpenAPI

    private static let openAPIAsJSON = ServerResponse(json: OpenAPIDocument.json)

    private static let openAPIAsYAML = ServerResponse(
        status: .ok, headers: [.contentType: "application/yaml"], body: .bytes(Array(OpenAPIDocument.yaml.utf8)))

    // MARK: Index

    private static let index = index(hint: nil)

    private static let indexWithHint = index(
        hint: """
            no session is configured, so no task can be created; add one to sessions in the configuration file, such as \
            {example: {base_url: https://api.example.com/}}, and reload it; in a container, mount your file over the one \
            that ERRAND_CONFIG names
            """)

    private static func index(hint: String?) -> ServerResponse {
        var writer = JSONWriter()
        writer.beginObject()
        let places: [(StaticString, String)] = [
            ("tasks", "/v1/tasks"), ("schedules", "/v1/schedules"), ("sessions", "/v1/sessions"),
            ("events", "/v1/events"), ("health", "/healthz"), ("readiness", "/readyz"), ("metrics", "/metrics"),
            ("version", "/version"), ("problems", "/problems"), ("openapi", "/openapi.json"),
        ]
        for (name, path) in places {
            writer.member(name, path)
        }
        if let hint { writer.member("hint", hint) }
        writer.endObject()
        return ServerResponse(json: writer.bytes)
    }
}
