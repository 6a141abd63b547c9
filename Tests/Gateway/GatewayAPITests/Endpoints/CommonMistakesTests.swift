import ErrandHTTPServer
import ErrandSupport
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport

@Suite("Common mistakes of clients", .timeLimit(.hang))
struct CommonMistakesTests {
    /// A member of a task that does not exist or has the wrong type, and the remedy in the problem.
    struct Mistake: Sendable, CustomTestStringConvertible {
        var members: String
        var pointer: String
        var detail: String

        init(_ members: String, _ pointer: String, _ detail: String) {
            (self.members, self.pointer, self.detail) = (members, pointer, detail)
        }

        var testDescription: String { members }
    }

    private static let mistakes = [
        Mistake(#""json":{"a":1}"#, "/json", #"content belongs in body: write {"body": {"json": …}}"#),
        Mistake(#""text":"a""#, "/text", #"content belongs in body: write {"body": {"text": …}}"#),
        Mistake(
            #""url":"http://upstream.example/a""#, "/url",
            "use path, which may be an absolute URL if the session allows it (url_scope)"),
        Mistake(
            #""method":"POST","body":"{}""#, "/body",
            #"expected an object, found a string; write {"text": …} for text and {"json": …} for JSON"#),
        Mistake(#""method":"POST","data":{}"#, "/data", #"use body, as in {"body": {"json": …}}, or parameters"#),
        Mistake(
            #""query":{"a":"b"}"#, "/query",
            "use parameters, which the request serializer puts into the query or the body"),
        Mistake(
            #""content_type":"text/plain""#, "/content_type",
            #"use headers: write {"headers": {"Content-Type": …}}"#),
        Mistake(#""header":{}"#, "/header", #"unknown member; did you mean "headers"?"#),
        Mistake(#""label":{"a":"b"}"#, "/label", #"unknown member; did you mean "labels"?"#),
        Mistake(#""method":"POST","body":{"a":1,"b":2}"#, "/body", body),
        Mistake(#""method":"POST","body":{"a":1}"#, "/body", body),
        Mistake(#""kind":"upload","body":{"a":1}"#, "/body", body),
        Mistake(#""method":"POST","body":{"jsn":1}"#, "/body/jsn", #"unknown member; did you mean "json"?"#),
        Mistake(
            #""method":"POST","body":[1]"#, "/body",
            #"expected an object, found an array; write {"json": …} for JSON"#),
        Mistake(#""method":"POST","body":{}"#, "/body", "expected exactly one of text, base64, json, file, parts"),
        Mistake(
            #""wait":"5s""#, "/wait",
            "a request waits, not a task: add ?wait=30s to the path, or send Prefer: wait=30"),
        Mistake(
            #""limit":5"#, "/limit",
            "limits belong to the session: set sessions.NAME.limits in the configuration"),
        Mistake(#""max_attempts":5"#, "/max_attempts", #"write {"retry": {"max_attempts": …}}"#),
        Mistake(
            #""timeout":"3s""#, "/timeout",
            #"write {"timeouts": {"total": …}} for the time of one attempt, or deadline for the whole task"#),
    ]

    private static let body =
        #"expected exactly one of text, base64, json, file, parts; to send this object, write {"json": …}"#

    @Test("The problem of a task names the remedy of a common mistake", arguments: mistakes)
    func tasks(mistake: Mistake) async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let problem = try await fixture.document(
                ProblemDocument.self, .post, "/v1/tasks", json: #"{"session":"up",\#(mistake.members)}"#,
                status: .unprocessableContent)
            #expect(problem.type == "/problems/invalid-task")
            #expect(problem.errors?.map(\.pointer) == [mistake.pointer])
            #expect(problem.errors?.map(\.detail) == [mistake.detail])
        }
    }

    @Test("Content with another media type is refused with the expected one")
    func mediaTypes() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            let (must, may) = ("the content must be declared", "send no content, or declare it")
            let (json, form) = ("application/json", "application/x-www-form-urlencoded")
            let isDefault = "\(form), the default of curl --data: add -H 'Content-Type:"
            for (method, target, type, detail) in [
                (.patch, "/v1/tasks/\(task.id)", json, "\(must) as Content-Type: \(patch); found \(json)"),
                (
                    .patch, "/v1/tasks/\(task.id)", form,
                    "\(must) as Content-Type: \(patch); found \(isDefault) \(patch)'"
                ),
                (.post, "/v1/tasks", form, "\(must) as Content-Type: \(json); found \(isDefault) \(json)'"),
                (.post, "/v1/tasks:cancel", form, "\(must) as Content-Type: \(json); found \(isDefault) \(json)'"),
                (.post, "/v1/tasks", "text/plain", "\(must) as Content-Type: \(json); found text/plain"),
                (
                    .post, "/v1/tasks/\(task.id)/suspend", form,
                    "\(may) as Content-Type: \(json); found \(isDefault) \(json)'"
                ),
                (
                    .post, "/v1/tasks/\(task.id)/retry", form,
                    "\(may) as Content-Type: \(json); found \(isDefault) \(json)'"
                ),
            ] as [(HTTPRequest.Method, String, String, String)] {
                let response = try await fixture.response(method, target, json: "{}", type: type)
                let problem = try response.document(ProblemDocument.self, status: .unsupportedMediaType)
                #expect(problem.detail == detail)
                #expect(
                    response.headers[method == .patch ? .acceptPatch : .accept] == (method == .patch ? patch : json))
            }
        }
    }

    private let patch = "application/merge-patch+json"

    @Test("A wait for a change is refused without the tag that the client has", arguments: [nil, "r1", "*"])
    func unknownRevision(tag: String?) async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            let response = try await fixture.response(
                .get, "/v1/tasks/\(task.id)?wait=1h&wait_for=change", fields: tag.map { ["If-None-Match: \($0)"] } ?? []
            )
            #expect(try response.document(ProblemDocument.self, status: .badRequest).type == "/problems/bad-header")
        }
    }

    @Test("wait_for=change without a wait is refused, also beside a malformed Prefer, which is ignored")
    func missingWait() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            let (target, tag) = ("/v1/tasks/\(task.id)?wait_for=change", #"If-None-Match: "r9""#)
            for fields in [[], [tag], [tag, "Prefer: wait=soon"]] {
                let response = try await fixture.response(.get, target, fields: fields)
                let problem = try response.document(ProblemDocument.self, status: .badRequest)
                #expect(problem.type == "/problems/bad-parameter")
                #expect(problem.detail == "wait_for: needs wait, as in ?wait=30s&wait_for=change")
            }
            for (query, fields) in [("&wait=0", [tag]), ("", [tag, "Prefer: wait=0"])] {
                let response = try await fixture.response(.get, target + query, fields: fields)
                #expect(response.status == .ok)
            }
        }
    }

    @Test("More labels than a task may have are refused")
    func labels() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let labels = (0..<65).map { "label.k\($0)=v" }
            let most = try await fixture.response(.get, "/v1/tasks?\(labels.dropLast().joined(separator: "&"))")
            #expect(most.status == .ok)
            let many = try await fixture.response(.get, "/v1/tasks?\(labels.joined(separator: "&"))")
            let problem = try many.document(ProblemDocument.self, status: .badRequest)
            #expect(problem.detail == "label.k64: expected at most 64 labels; remove some")
        }
    }

    @Test(
        "An unknown parameter is refused with the name that was meant, and a repeated one",
        arguments: [
            ("GET", "/v1/tasks?limit=5", #"limit: the list has no such parameter; did you mean "page_size"?"#),
            ("GET", "/v1/tasks?label=a", #"label: the list has no such parameter; did you mean "label.KEY"?"#),
            ("GET", "/v1/tasks?sesion=a", #"sesion: the list has no such parameter; did you mean "session"?"#),
            ("GET", "/v1/tasks?since=-1h", #"since: the list has no such parameter; did you mean "created_after"?"#),
            ("POST", "/v1/tasks?limit=5", "limit: this endpoint has no such parameter; expected one of wait"),
            ("POST", "/v1/tasks?timeout=5s", #"timeout: this endpoint has no such parameter; did you mean "wait"?"#),
            (
                "POST", "/v1/tasks:cancel?state=queued",
                #"state: this endpoint has no such parameter; write it into the content, as in {"state": "failed"}"#
            ),
            (
                "POST", "/v1/tasks:cancel?wait=5s",
                #"wait: this endpoint has no such parameter; its content selects, as in {"state": "failed"}"#
            ),
            (
                "GET", "/v1/events?colour=red",
                """
                colour: this endpoint has no such parameter; expected one of state, session, kind, parent, \
                created_after, created_before, label.KEY, last_event_id
                """
            ),
            ("GET", "/v1/tasks?status=404&status=2xx", "status: the parameter is given more than once; give it once"),
            ("POST", "/v1/tasks?wait=1s&wait=3s", "wait: the parameter is given more than once; give it once"),
        ])
    func parameters(method: String, target: String, detail: String) async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let method = try #require(HTTPRequest.Method(method))
            let problem = try await fixture.document(
                ProblemDocument.self, method, target, json: method == .post ? "{}" : nil, status: .badRequest)
            #expect(problem.detail == detail)
        }
    }

    @Test("A path that no route has is refused with the route that was meant")
    func paths() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let problem = try await fixture.document(
                ProblemDocument.self, .post, "/v1/config/reload", status: .notFound)
            #expect(problem.detail == "no such path; did you mean POST /v1/config:reload? GET / lists the endpoints")
            let batch = try await fixture.response(.post, "/v1/tasks/batch", json: "{}")
            let detail = try batch.document(ProblemDocument.self, status: .methodNotAllowed).detail
            #expect(detail?.hasSuffix("; did you mean POST /v1/tasks:batch?") == true)
            #expect(batch.headers[.allow]?.contains("GET") == true)
            let unknown = try await fixture.document(ProblemDocument.self, .get, "/secret/path", status: .notFound)
            #expect(unknown.detail == "no such path; GET / lists the endpoints")
        }
    }
}
