import ErrandHTTPServer
import ErrandJSON
import ErrandSupport
import ErrandTaskStore
import FoundationEssentials
import HTTPTypes
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Responses that are problems", .timeLimit(.hang))
struct ProblemResponsesTests {
    /// A request with the expected problem.
    private struct Case {
        var type: String
        var method: HTTPRequest.Method
        var target: String
        var json: String?
        var fields: [String] = []

        init(
            _ type: String, _ method: HTTPRequest.Method, _ target: String, _ json: String? = nil, _ fields: String...
        ) {
            self.type = type
            self.method = method
            self.target = target
            self.json = json
            self.fields = fields
        }
    }

    private static let yaml = """
        server: {max_json: 4KiB}
        sessions:
          up: {base_url: "http://upstream.example/"}
          full: {base_url: "http://upstream.example/", limits: {max_queued: 1}}
        schedules:
          noon: {cron: 0 12 * * *, task: {session: up}}
        """

    private static let absent = "01a1fcaf-d4a6-746d-957c-aac9c31f08c0"

    /// Returns the requests, in order, to a gateway without tokens.
    ///
    /// - Parameters:
    ///   - task: A suspended task.
    ///   - done: A finished task with content.
    ///   - canceled: A finished task without content.
    private static func cases(task: String, done: String, canceled: String) -> [Case] {
        let tasks = "/v1/tasks"
        var cases = [
            Case("not-found", .get, "/nothing"), Case("not-found", .get, "/problems/none"),
            Case("method-not-allowed", .put, tasks),
            Case("content-too-large", .post, tasks, String(repeating: " ", count: 5000)),
            Case("malformed-json", .post, tasks, "{"),
            Case("json-too-deep", .post, tasks, String(repeating: "[", count: 65)),
            Case("malformed-form", .post, tasks, "--B--\r\n", "Content-Type: multipart/form-data; boundary=B"),
            Case("bad-parameter", .get, "\(tasks)/\(task)?wiat=1s"),
            Case("bad-parameter", .get, "\(tasks)/\(task)?wait_for=end"),
            Case("bad-parameter", .get, "\(tasks)/\(task)?view=part"),
            Case("bad-parameter", .get, "\(tasks)?sttae=failed"),
            Case("bad-parameter", .get, "\(tasks)/\(done)/body?page=1"),
            Case("bad-parameter", .get, "\(tasks)/\(done)/events?last_event=1"),
            Case("bad-parameter", .get, "/v1/events?sesion=up"),
            Case("bad-parameter", .get, "/v1/sessions?name=up"), Case("bad-parameter", .get, "/v1/sessions/up?all=1"),
            Case("bad-parameter", .get, "/v1/schedules?name=up"),
            Case("bad-parameter", .post, "\(tasks)/\(task)/cancel?wait=1s"),
            Case("bad-header", .post, tasks, "{}", "Idempotency-Key: a b"),
            Case("no-such-session", .get, "/v1/sessions/none"),
            Case("no-such-schedule", .get, "/v1/schedules/none"),
            Case("no-such-schedule", .delete, "/v1/schedules/none"),
            Case("no-such-schedule", .post, "/v1/schedules/none/run"),
            Case("configured-schedule", .delete, "/v1/schedules/noon"),
            Case("configured-schedule", .put, "/v1/schedules/noon", #"{"cron":"@daily","task":{"session":"up"}}"#),
            Case(
                "schedule-exists", .post, "/v1/schedules",
                #"{"name":"mine","cron":"@daily","task":{"session":"up"}}"#),
            Case("precondition-failed", .delete, "/v1/schedules/mine", nil, "If-Match: \"other\""),
            Case(
                "precondition-failed", .put, "/v1/schedules/mine", #"{"cron":"@daily","task":{"session":"up"}}"#,
                "If-Match: \"other\""),
            Case("invalid-schedule", .post, "/v1/schedules", "{}"),
            Case("bad-header", .delete, "/v1/schedules/mine", nil, "If-Match: other"),
            Case("precondition-failed", .patch, "\(tasks)/\(task)", #"{"priority":1}"#, "If-Match: \"other\""),
            Case("invalid-edit", .patch, "\(tasks)/\(task)", #"{"priority":10}"#),
            Case("unsupported-patch-type", .patch, "\(tasks)/\(task)", "{}", "Content-Type: application/json"),
            Case("unsupported-media-type", .post, tasks, "{}", "Content-Type: text/plain"),
            Case("unsupported-content-coding", .post, tasks, "{}", "Content-Encoding: gzip"),
            Case("no-body", .get, "\(tasks)/\(canceled)/body"),
            Case("range-not-satisfiable", .get, "\(tasks)/\(done)/body", nil, "Range: bytes=9999-"),
            Case("wrong-state", .get, "\(tasks)/\(task)/body"), Case("wrong-state", .post, "\(tasks)/\(done)/cancel"),
            Case("invalid-task", .post, tasks, "{}"), Case("invalid-batch", .post, "\(tasks):batch", "{}"),
            Case("invalid-options", .post, "\(tasks):cancel", "{}"),
            Case("misdirected-request", .get, tasks, nil, "Host: elsewhere.example"),
            Case("cross-origin", .get, tasks, nil, "Origin: https://elsewhere.example"),
            Case("idempotency-key-reused", .post, tasks, #"{"session":"up","path":"b"}"#, "Idempotency-Key: used"),
            Case("queue-full", .post, tasks, #"{"session":"full"}"#),
            Case("session-closed", .post, tasks, #"{"session":"up"}"#),
        ]
        for (method, suffix) in [
            (.get, ""), (.delete, ""), (.get, "/body"), (.get, "/events"), (.post, "/cancel"), (.post, "/suspend"),
            (.post, "/resume"), (.post, "/run-now"), (.post, "/retry"),
        ] as [(HTTPRequest.Method, String)] {
            cases += ["none", absent].map { Case("no-such-task", method, "\(tasks)/\($0)\(suffix)") }
        }
        cases.append(Case("no-such-task", .patch, "\(tasks)/\(absent)", "{}"))
        let deep = String(repeating: "[", count: 65)
        cases += calls(on: task).map { Case("json-too-deep", $0.method, $0.target, deep) }
        return cases
    }

    /// Returns the calls that take options, on a task, the schedule `mine` and the session `up`.
    private static func calls(on task: String) -> [(method: HTTPRequest.Method, target: String)] {
        let actions = ["cancel", "suspend", "resume", "run-now"]
        var targets = actions.map { "/v1/tasks/\(task)/\($0)" }
        targets += (actions + ["retry", "delete"]).map { "/v1/tasks:\($0)" }
        targets += ["suspend", "resume", "run"].map { "/v1/schedules/mine/\($0)" }
        targets += ["suspend", "resume", "purge", "invalidate"].map { "/v1/sessions/up/\($0)" }
        targets.append("/v1/config:reload")
        var calls = targets.map { (method: HTTPRequest.Method.post, target: $0) }
        calls.append((method: .delete, target: "/v1/schedules/mine"))
        return calls
    }

    private static let guarded = """
        auth:
          tokens:
            - {name: reader, token: reader-token-0123456789, scopes: ["tasks:read"]}
            - {name: up, token: up-token-0123456789, sessions: [up]}
            - {name: slow, token: slow-token-0123456789, rate: 1/h}
        sessions:
          up: {base_url: "http://upstream.example/"}
          other: {base_url: "http://upstream.example/"}
        """

    private static let guardedCases = [
        Case("unauthorized", .get, "/v1/tasks"),
        Case("unauthorized", .get, "/v1/tasks", nil, "Authorization: Bearer unknown-token-0123456789"),
        Case(
            "ambiguous-authorization", .get, "/v1/tasks", nil, "Authorization: Bearer a", "Authorization: Bearer b"),
        Case("insufficient-scope", .post, "/v1/tasks", "{}", "Authorization: Bearer reader-token-0123456789"),
        Case(
            "session-forbidden", .post, "/v1/tasks", #"{"session":"other"}"#,
            "Authorization: Bearer up-token-0123456789"),
        Case("not-found", .get, "/nothing", nil, "Authorization: Bearer slow-token-0123456789"),
        Case("too-many-requests", .get, "/v1/tasks", nil, "Authorization: Bearer slow-token-0123456789"),
    ]

    /// The problems that requests to the routes of a healthy gateway do not cause.
    private static let troubles: Set<String> = [
        // The server's own problems, which it renders by the gateway's handler.
        "malformed-request", "client-certificate-refused", "request-timeout", "content-too-large", "target-too-long",
        "expectation-failed", "headers-too-large", "internal-error", "method-not-implemented", "stopping",
        "overloaded", "version-not-supported",
        // Caused below.
        "store-unavailable", "store-busy", "too-many-contents", "list-timeout", "not-ready", "invalid-configuration",
        // A race of two requests, a thousand schedules, a blocked pool of threads, 128 followers, and a file that is
        // never read: tested by `IdempotencyKeyTests`, `ScheduleEndpointsTests`, `TaskWatchdogTests`,
        // `FollowedBodyTests` and `ReloadEndpointTests`.
        "idempotency-key-in-use", "too-many-schedules", "tasks-stuck", "too-many-followers", "reload-under-way",
        // A request that its client has canceled: tested by `ListTroubleTests`.
        "client-left",
    ]

    private static func ask(_ fixture: ReloadFixture, _ request: Case) async throws -> ServerResponse {
        var lines = request.fields
        func add(_ name: String, _ value: String) {
            if !lines.contains(where: { $0.hasPrefix("\(name):") }) { lines.append("\(name): \(value)") }
        }
        add("Host", "127.0.0.1")
        let type = request.method == .patch ? "application/merge-patch+json" : "application/json"
        if request.json != nil { add("Content-Type", type) }
        let head = try RequestHead.sample(request.method, request.target, lines: lines)
        return try await fixture.gateway.handler.response(to: head, content: request.json)
    }

    /// Checks that a response has all members of a problem.
    private static func check(_ response: ServerResponse, _ type: String, instance: String, _ comment: Comment) throws {
        let object = try #require(try JSONDocument.parse(Array(response.text.utf8)).root.object, comment)
        #expect(response.headers[.contentType] == "application/problem+json", comment)
        #expect(object["type"]?.string == "/problems/\(type)", comment)
        #expect(object["title"]?.string?.isEmpty == false, comment)
        #expect(object["status"]?.kind == .number(JSONNumber(lexeme: "\(response.status.code)")), comment)
        #expect(object["detail"]?.string?.isEmpty == false, comment)
        #expect(object["instance"]?.string == instance, comment)
        #expect(object["request_id"]?.string == response.headers[.requestID], comment)
        #expect(object["request_id"]?.string?.isEmpty == false, comment)
    }

    private static func check(_ cases: [Case], _ fixture: ReloadFixture) async throws {
        for request in cases {
            let response = try await ask(fixture, request)
            let path = request.target.prefix { $0 != "?" }
            try check(
                response, request.type, instance: String(path), "\(request.method) \(request.target): \(response.text)")
        }
    }

    @Test("Each kind of problem has type, title, status, detail, instance and request id")
    func all() async throws {
        var types = Self.troubles.union(Self.guardedCases.map(\.type))
        let fixture = try ReloadFixture(Self.yaml)
        try await fixture.open {
            let done = try await fixture.run().id
            func create(_ json: String, _ fields: String...) async throws -> String {
                var request = Case("", .post, "/v1/tasks", json)
                request.fields = fields
                let response = try await Self.ask(fixture, request)
                #expect(response.status == .accepted)
                return try JSONDecoder().decode(Created.self, from: Data(response.text.utf8)).id
            }
            let suspended = #"{"session":"up","start":"suspended"}"#
            let task = try await create(suspended)
            let canceled = try await create(suspended)
            _ = try await fixture.response(.post, "/v1/tasks/\(canceled)/cancel")
            _ = try await create(#"{"session":"up","path":"a","start":"suspended"}"#, "Idempotency-Key: used")
            _ = try await fixture.response(.post, "/v1/sessions/full/suspend")
            _ = try await create(#"{"session":"full"}"#)
            let waiting = try await create(#"{"session":"up","kind":"upload","body":{"content":"later"}}"#)
            let contents = fixture.gateway.context.contentsUnderWay
            for number in 0..<ContentsUnderWay.limit { #expect(contents.begin(.sample(number)) == .admitted) }
            try await Self.check([Case("too-many-contents", .put, "/v1/tasks/\(waiting)/content", "a")], fixture)
            for number in 0..<ContentsUnderWay.limit { contents.end(.sample(number)) }
            let schedule = try await fixture.response(
                .post, "/v1/schedules", json: #"{"name":"mine","cron":"@daily","task":{"session":"up"}}"#)
            #expect(schedule.status == .created)
            let cases = Self.cases(task: task, done: done, canceled: canceled)
            types.formUnion(cases.map(\.type))
            try await Self.check(cases.filter { $0.type != "session-closed" }, fixture)
            _ = try await fixture.response(.post, "/v1/sessions/up/invalidate")
            try await Self.check(cases.filter { $0.type == "session-closed" }, fixture)

            fixture.write("nonsense: 1")
            try await Self.check([Case("invalid-configuration", .post, "/v1/config:reload")], fixture)
            fixture.store.intervene { _ throws(TaskStoreError) in throw .tooManyReads }
            try await Self.check([Case("store-busy", .get, "/v1/tasks")], fixture)
            fixture.store.intervene { _ throws(TaskStoreError) in throw .readTimedOut }
            try await Self.check([Case("list-timeout", .get, "/v1/tasks")], fixture)
            fixture.store.intervene { _ throws(TaskStoreError) in throw TaskStoreError(.unexpected, "broken") }
            let broken = [Case("store-unavailable", .get, "/v1/tasks"), Case("not-ready", .get, "/readyz")]
            try await Self.check(broken, fixture)
            fixture.store.intervene(nil)
        }
        #expect(types == Set(ProblemType.all.map(\.name)))
        let guarded = try ReloadFixture(Self.guarded)
        try await guarded.open { try await Self.check(Self.guardedCases, guarded) }
    }

    private struct Created: Decodable { var id: String }

    @Test("The options of a call that nest too deep are told the setting that limits them")
    func deepOptions() async throws {
        let fixture = try ReloadFixture(Self.yaml.replacing("max_json: 4KiB", with: "max_depth: 2"))
        try await fixture.open {
            let task = try await fixture.run().id
            let schedule = try await fixture.response(
                .post, "/v1/schedules", json: #"{"name":"mine","cron":"@daily","task":{"session":"up"}}"#)
            #expect(schedule.status == .created)
            for (method, target) in Self.calls(on: task) {
                let response = try await fixture.response(method, target, json: #"{"a":{"b":{}}}"#)
                let problem = try response.document(ProblemDocument.self, status: .badRequest)
                let expected = "expected at most 2 levels of arrays and objects (server.max_depth)"
                #expect(problem.detail?.hasPrefix(expected) == true, "\(target): \(response.text)")
            }
        }
    }

    @Test("Problems found by the server get a request id, and keep their location")
    func ofServer() throws {
        let fixture = try ReloadFixture(Self.yaml)
        for type in ProblemType.serverTypes {
            let problem = ProblemDetails(type, detail: "found", instance: "/v1/tasks")
            try Self.check(fixture.gateway.handler.response(to: problem), type.name, instance: "/v1/tasks", "\(type)")
        }
    }

    @Test("A misspelt parameter is reported with a suggestion, or with the known parameters")
    func suggestions() async throws {
        let fixture = try ReloadFixture(Self.yaml)
        try await fixture.open {
            for (target, detail) in [
                (
                    "/v1/tasks/\(Self.absent)?wiat=1s",
                    "wiat: this endpoint has no such parameter; did you mean \"wait\"?"
                ),
                (
                    "/v1/tasks/\(Self.absent)?colour=red",
                    "colour: this endpoint has no such parameter; expected one of wait, wait_for, view, fields"
                ),
                ("/v1/sessions?colour=red", "colour: this endpoint has no such parameter"),
                ("/v1/tasks?pagesize=2", "pagesize: the list has no such parameter; did you mean \"page_size\"?"),
            ] {
                let response = try await fixture.response(.get, target)
                let object = try JSONDocument.parse(Array(response.text.utf8)).root.object
                #expect(object?["detail"]?.string == detail)
            }
            // Probes may add any parameters.
            #expect(try await fixture.response(.get, "/healthz?t=1").status == .ok)
        }
    }
}
