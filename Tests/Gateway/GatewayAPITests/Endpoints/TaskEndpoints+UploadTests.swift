import ErrandConfiguration
import ErrandHTTPServer
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import FoundationEssentials
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("TaskEndpoints: a task with its content", .timeLimit(.hang))
struct TaskEndpointsUploadTests {
    /// A part of a form.
    private struct Part {
        var name: String
        var type: String?
        var content: String

        static func task(_ members: String) -> Part {
            Part(name: "task", type: "application/json", content: #"{"session":"up","start":"suspended"\#(members)}"#)
        }

        static func content(_ text: String, type: String? = nil) -> Part {
            Part(name: "content", type: type, content: text)
        }

        var text: String {
            let field = type.map { "Content-Type: \($0)\r\n" } ?? ""
            return "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\(field)\r\n\(content)\r\n"
        }
    }

    private static let form = "multipart/form-data; boundary=B"

    private static func form(_ parts: [Part]) -> String {
        parts.map(\.text).joined() + "--B--\r\n"
    }

    private func send(
        _ fixture: GatewayFixture, _ body: String, _ fields: [String] = [], to target: String = "/v1/tasks",
        type: String = Self.form
    ) async throws -> ServerResponse {
        try await fixture.response(.post, target, json: body, fields: fields, type: type)
    }

    private func send(_ fixture: GatewayFixture, _ parts: Part..., key: String? = nil) async throws -> ServerResponse {
        try await send(fixture, Self.form(parts), key.map { ["Idempotency-Key: \($0)"] } ?? [])
    }

    /// Returns the number of files with content.
    private func files(_ fixture: GatewayFixture) throws -> Int {
        let folder = "\(fixture.folder.path)/contents"
        return try FileManager.default.subpathsOfDirectory(atPath: folder).count { name in
            var isFolder = false
            let path = "\(folder)/\(name)"
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder
        }
    }

    private func expectNothing(_ fixture: GatewayFixture, _ what: String) async throws {
        #expect(try files(fixture) == 0, "\(what)")
        #expect(try await fixture.store.counts().total == 0, "\(what)")
    }

    @Test("Creates an upload whose content is complete, whether or not its members say so")
    func created() async throws {
        let fixture = try GatewayFixture()
        let sha256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
        let members = [
            "", #","kind":"upload""#, #","kind":null,"body":null"#, #","body":{"content":"later"}"#,
            #","path":"a","method":"put","kind":"upload","body":{"content":"later"}"#,
        ]
        try await fixture.open {
            for member in members {
                let response = try await send(fixture, .task(member), .content("hello"))
                #expect(response.status == .accepted, "\(response.text)")
                #expect(response.headers[.location] != nil)
                #expect(response.text.contains(#""kind":"upload","state":"suspended""#))
                #expect(response.text.contains(#""content":{"size":5,"sha256":"\#(sha256)"}"#), "\(response.text)")
            }
            #expect(try files(fixture) == members.count)
            let empty = try await send(fixture, .task(""), .content(""))
            #expect(empty.text.contains(#""content":{"size":0,"#))
            #expect(try files(fixture) == members.count)
        }
    }

    @Test("The content is sent, with the media type of its part unless the task names one")
    func types() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            for (members, type) in [
                ("", nil), ("", "application/octet-stream"), ("", "text/plain; charset=utf-8"),
                (#","headers":{"X-A":"1"}"#, "text/csv"), (#","headers":null"#, "text/html"),
                (#","headers":{"content-type":"image/png"}"#, "text/csv"),
            ] {
                let task = Part(name: "task", type: "application/json", content: #"{"session":"up"\#(members)}"#)
                let response = try await send(
                    fixture, Self.form([task, .content("hello", type: type)]), to: "/v1/tasks?wait=1d")
                #expect(try response.document(TaskDocument.self).state == "succeeded", "\(response.text)")
            }
            #expect(
                fixture.transport.requests.map { $0.headers[.contentType] } == [
                    "application/octet-stream", "application/octet-stream", "text/plain; charset=utf-8", "text/csv",
                    "text/html", "image/png",
                ])
            #expect(fixture.transport.requests[3].headers[try #require(HTTPField.Name("X-A"))] == "1")
            #expect(try files(fixture) == 0, "the content of a succeeded task is removed")
        }
    }

    @Test("A wait is met by the end of the task, in the target or in Prefer")
    func waits() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = Part(name: "task", type: "application/json", content: #"{"session":"up"}"#)
            let body = Self.form([task, .content("x")])
            let response = try await send(fixture, body, ["Prefer: wait=60"])
            #expect(try response.document(TaskDocument.self).state == "succeeded")
            #expect(response.headers[.preferenceApplied] == "wait=60")
            let problem = try await send(fixture, body, to: "/v1/tasks?wait=fast")
                .document(ProblemDocument.self, status: .badRequest)
            #expect(problem.type == "/problems/bad-parameter")
        }
    }

    @Test("Clients that wait for their tasks keep no place for content")
    func waitingClients() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let waiting = (0..<ContentsUnderWay.limit).map { _ in
                Task { try await send(fixture, Self.form([.task(""), .content("x")]), to: "/v1/tasks?wait=1d") }
            }
            try await until { try await fixture.store.counts().total == ContentsUnderWay.limit }
            try await until {
                let another = try await send(fixture, .task(""), .content("hello"))
                return another.status == .accepted
            }
            for client in waiting { client.cancel() }
            for client in waiting { #expect(try await client.value.status == .accepted) }
        }
    }

    @Test("The digest of a form is refused, because it is not verified")
    func digest() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let form = Self.form([.task(""), .content("hello")])
            let problem = try await send(fixture, form, ["Content-Digest: sha-256=:AA==:"])
                .document(ProblemDocument.self, status: .badRequest)
            #expect(problem.type == "/problems/bad-header")
            #expect(problem.detail?.hasPrefix("Content-Digest: the digest of a form is not verified") == true)
            try await expectNothing(fixture, "a digest")
        }
    }

    @Test("A form that is not the two parts in their order is refused with its fault, and leaves nothing")
    func forms() async throws {
        let fixture = try GatewayFixture()
        let (task, content) = (Part.task(""), Part.content("hello"))
        let other = Part(name: "file", type: nil, content: "x")
        let whole = Self.form([task, content])
        let cases: [(String, String)] = [
            ("", "byte 0: the body ends before its first part"),
            ("--B--\r\n", #"the form has no parts; expected the parts "task" and "content""#),
            ("hello\r\n" + whole, "byte 0: the body does not begin with the delimiter"),
            (whole + "bye", "byte \(whole.utf8.count): the body continues after the closing delimiter"),
            (Self.form([task]), #"the form has no part "content"; add it after the part "task""#),
            (Self.form([content]), #"the part "content" comes before the part "task""#),
            (Self.form([content, task]), #"the part "content" comes before the part "task""#),
            (Self.form([task, task, content]), #"the form has a second part "task""#),
            (Self.form([task, content, content]), #"the form has a second part "content""#),
            (Self.form([task, content, task]), #"the form has a second part "task""#),
            (Self.form([other, task, content]), #"unknown part "file"; expected only the parts "task" and "content""#),
            (Self.form([task, other, content]), #"unknown part "file""#),
            (Self.form([task, content, other]), #"unknown part "file""#),
            (Self.form([task, .content("x", type: "text")]), #"a Content-Type that is not a media type: "text""#),
        ]
        try await fixture.open {
            for (body, detail) in cases {
                let problem = try await send(fixture, body).document(ProblemDocument.self, status: .badRequest)
                #expect(problem.type == "/problems/malformed-form")
                #expect(problem.detail?.contains(detail) == true, "\(problem.detail ?? "")")
                try await expectNothing(fixture, detail)
            }
            for end in stride(from: 1, to: whole.utf8.count - 2, by: 7) {
                let cut = String(decoding: whole.utf8.prefix(end), as: UTF8.self)
                #expect(try await send(fixture, cut).status == .badRequest, "cut after \(end) bytes")
            }
            try await expectNothing(fixture, "cut forms")
        }
    }

    @Test("A boundary that is missing, repeated or invalid, a content coding and a task of another type are refused")
    func declarations() async throws {
        let fixture = try GatewayFixture()
        let whole = Self.form([.task(""), .content("hello")])
        try await fixture.open {
            for type in ["", "; boundary=", "; boundary=\"a[\"", "; boundary=B; boundary=C"] {
                let problem = try await send(fixture, whole, type: "multipart/form-data" + type)
                    .document(ProblemDocument.self, status: .badRequest)
                #expect(problem.detail?.hasPrefix("Content-Type: expected one boundary") == true)
            }
            let coded = try await send(fixture, whole, ["Content-Encoding: gzip"])
            #expect(coded.status == .unsupportedMediaType)
            let key = try await send(fixture, whole, ["Idempotency-Key: a b"])
            #expect(try key.document(ProblemDocument.self, status: .badRequest).type == "/problems/bad-header")
            for type in [nil, "text/plain"] {
                let task = Part(name: "task", type: type, content: #"{"session":"up"}"#)
                let problem = try await send(fixture, task, .content("x"))
                    .document(ProblemDocument.self, status: .unsupportedMediaType)
                #expect(problem.detail?.contains("-F 'task=<FILE;type=application/json'") == true)
            }
            #expect(try await send(fixture, whole, type: "multipart/mixed; boundary=B").status == .unsupportedMediaType)
            try await expectNothing(fixture, "declarations")
        }
    }

    @Test("Faults of the task are reported as those of a single create, before the content is stored")
    func faults() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            for (members, pointers) in [
                (#","kind":"data""#, ["/kind"]), (#","kind":7"#, ["/kind"]),
                (#","body":{"text":"x"}"#, ["/body"]), (#","body":{"content":"stream"}"#, ["/body"]),
                (#","kind":"download","body":7,"x":1"#, ["/kind", "/body", "/x"]),
                (#","priority":10"#, ["/priority"]), (#","method":"GET""#, ["/body"]),
            ] {
                let problem = try await send(fixture, .task(members), .content("hello"))
                    .document(ProblemDocument.self, status: .unprocessableContent)
                #expect(problem.errors?.map(\.pointer) == pointers, "\(members)")
            }
            let json = Part(name: "task", type: "application/json", content: "{")
            let problem = try await send(fixture, json, .content("x")).document(
                ProblemDocument.self, status: .badRequest)
            #expect(problem.type == "/problems/malformed-json")
            try await expectNothing(fixture, "faults")
        }
    }

    @Test("A task and a content beyond their limits are refused, and leave nothing")
    func limits() async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.server.requests.maxContentBytes = 4
            configuration.server.requests.maxJSONBytes = 100
        }
        try await fixture.open {
            #expect(try await send(fixture, .task(""), .content("1234")).status == .accepted)
            for (parts, detail) in [
                ([Part.task(""), .content("12345")], "at most 4 bytes (server.max_content)"),
                ([.task(String(repeating: " ", count: 100)), .content("1")], "at most 100 bytes (server.max_json)"),
            ] {
                let problem = try await send(fixture, Self.form(parts))
                    .document(ProblemDocument.self, status: .contentTooLarge)
                #expect(problem.detail?.contains(detail) == true)
            }
            #expect(try files(fixture) == 1)
            #expect(try await fixture.store.counts().total == 1)
        }
    }

    @Test("The same key with the same task and content returns the first task; with another of both it is refused")
    func keys() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let first = try await send(fixture, .task(#","path":"a""#), .content("hello"), key: "k")
            #expect(first.status == .accepted)
            let again = try await send(
                fixture,
                Part(
                    name: "task", type: "application/json", content: #"{"path":"a","start":"suspended","session":"up"}"#
                ),
                .content("hello"), key: "k")
            #expect(again.status == .ok)
            #expect(again.headers[.idempotentReplayed] == "true")
            #expect(again.headers[.location] == first.headers[.location])
            for parts in [
                [Part.task(#","path":"a""#), .content("hullo")], [.task(#","path":"b""#), .content("hello")],
                [.task(#","path":"a""#), .content("hello", type: "text/csv")],
            ] {
                let reused = try await send(fixture, Self.form(parts), ["Idempotency-Key: k"])
                #expect(
                    try reused.document(ProblemDocument.self, status: .unprocessableContent).type
                        == "/problems/idempotency-key-reused")
            }
            #expect(try files(fixture) == 1)
            #expect(try await fixture.store.counts().total == 1)
        }
    }

    @Test("A repeated request returns the first task even if it would be refused now")
    func refusedNow() async throws {
        let folder = try GatewayFolder()
        let task = Part.task(#","priority":5"#)
        var location: String?
        let first = try GatewayFixture(folder: folder)
        try await first.open {
            location = try await send(first, task, .content("hello"), key: "k").headers[.location]
        }
        var session = try DispatcherFixture.configuration()
        session.allowedMethods = [.get]
        let second = try GatewayFixture(folder: folder, session: session)
        try await second.open {
            let again = try await send(second, task, .content("hello"), key: "k")
            #expect(again.status == .ok)
            #expect(again.headers[.location] == location)
            for response in [
                try await send(second, task, .content("hullo"), key: "k"),
                try await send(second, task, .content("hello"), key: "other"),
                try await send(second, task, .content("")),
            ] {
                #expect(
                    try response.document(ProblemDocument.self, status: .unprocessableContent).type
                        == "/problems/invalid-task")
            }
        }
    }

    @Test("A task that the dispatcher or the store refuses leaves no content")
    func refusedTasks() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            _ = try await fixture.response(.post, "/v1/sessions/up/invalidate")
            #expect(try await send(fixture, .task(""), .content("hello")).status == .conflict)
            try await expectNothing(fixture, "closed session")
        }
    }

    @Test("The content survives until its task runs, and is removed with the task")
    func removed() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let response = try await send(fixture, .task(""), .content("hello"))
            let location = try #require(response.headers[.location])
            #expect(try files(fixture) == 1)
            #expect(try await fixture.response(.delete, location).status == .noContent)
            try await expectNothing(fixture, "deleted")
        }
    }
}
