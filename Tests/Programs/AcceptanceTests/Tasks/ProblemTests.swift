import ErrandSupport
import Testing

extension Acceptance {
    /// One gateway per test, checked for life after each request; see `withGateway` for its end.
    @Suite("Refused requests report all their faults")
    struct ProblemTests {
        /// A document with its expected faults.
        struct Fault: Sendable {
            var document: String
            var pointers: Set<String>
            /// Words contained in any of the details.
            var words: [String] = []
        }

        private static let invalid: [Fault] = [
            Fault(document: "{}", pointers: ["/session"], words: ["default"]),
            Fault(document: "[]", pointers: [""]),
            Fault(document: #"{"session":"upp"}"#, pointers: ["/session"], words: ["did you mean \"up\""]),
            Fault(document: #"{"session":"up","pth":"x"}"#, pointers: ["/pth"], words: ["path"]),
            Fault(document: #"{"session":7}"#, pointers: ["/session"], words: ["string"]),
            Fault(document: #"{"session":"up","path":7}"#, pointers: ["/path"], words: ["string"]),
            Fault(document: #"{"session":"up","priority":10}"#, pointers: ["/priority"], words: ["9"]),
            Fault(document: #"{"session":"up","priority":"5"}"#, pointers: ["/priority"]),
            Fault(document: #"{"session":"up","kind":"upload"}"#, pointers: ["/body"], words: ["later"]),
            Fault(document: #"{"session":"up","kind":"callback"}"#, pointers: ["/kind"], words: ["only the gateway"]),
            Fault(document: #"{"session":"up","start":"later"}"#, pointers: ["/start"], words: ["suspended"]),
            Fault(document: #"{"session":"up","path":"x","path":"y"}"#, pointers: ["/path"]),
            Fault(document: #"{"session":"up","body":{"text":"a"},"method":"GET"}"#, pointers: ["/body"]),
            Fault(
                document: #"{"session":"up","body":{"text":"a","json":1}}"#, pointers: ["/body"], words: ["exactly one"]
            ),
            Fault(document: #"{"session":"up","body":{}}"#, pointers: ["/body"]),
            Fault(document: #"{"session":"up","body":{"base64":"?"}}"#, pointers: ["/body/base64"], words: ["base64"]),
            Fault(
                document: #"{"session":"up","body":{"file":"a"}}"#, pointers: ["/body/file"], words: ["does not exist"]),
            Fault(
                document: #"{"session":"up","body":{"parts":[{"name":"a","text":"x"},{"text":"y","fil":"z"},7]}}"#,
                pointers: ["/body/parts/1/name", "/body/parts/1/fil", "/body/parts/2"], words: ["did you mean"]),
            Fault(
                document: #"{"session":"up","body":{"content":"later"}}"#, pointers: ["/body/content"],
                words: ["an upload"]),
            Fault(
                document: #"{"session":"up","method":"POST","request_serializer":"form","parameters":[1]}"#,
                pointers: ["/parameters"]),
            Fault(
                document: #"{"session":"up","response_serializer":["json","yaml"]}"#,
                pointers: ["/response_serializer/1"], words: ["plist"]),
            Fault(
                document: #"{"session":"up","method":"POST","parameters":{"a":1},"body":{"text":"a"}}"#,
                pointers: ["/body"]),
            Fault(document: #"{"session":"up","headers":{"Host":"a"}}"#, pointers: ["/headers/Host"]),
            Fault(document: #"{"session":"up","headers":{"A":"a","a":"b"}}"#, pointers: ["/headers/a"]),
            Fault(document: #"{"session":"up","headers":{"A":"a\r\nB: c"}}"#, pointers: ["/headers/A"]),
            Fault(document: #"{"session":"up","headers":{"A/b~":1}}"#, pointers: ["/headers/A~1b~0"]),
            Fault(document: #"{"session":"up","labels":{"a":1}}"#, pointers: ["/labels/a"]),
            Fault(document: #"{"session":"up","timeouts":{"idle":"fast"}}"#, pointers: ["/timeouts/idle"]),
            Fault(
                document: #"{"session":"up","timeouts":{"idel":"1s"}}"#, pointers: ["/timeouts/idel"], words: ["idle"]),
            Fault(document: #"{"session":"up","path":"http://elsewhere.example/"}"#, pointers: ["/path"]),
            Fault(document: #"{"session":"up","method":"G T"}"#, pointers: ["/method"]),
            Fault(document: #"{"session":"up","method":"PURGE"}"#, pointers: ["/method"]),
            Fault(
                document: """
                    {"sesion":"up","path":3,"priority":-1,"kind":"callback","retry":{"max_attempts":0},"labels":{"x":null},
                    "ordering_key":"","callback":{"url":"http://x/"},"idempotency_key":"i","not_before":"tomorrow"}
                    """,
                pointers: [
                    "/session", "/sesion", "/path", "/priority", "/kind", "/retry/max_attempts", "/labels/x",
                    "/ordering_key",
                    "/callback", "/idempotency_key", "/not_before",
                ],
                words: ["did you mean", "only the gateway"]),
        ]

        @Test("An invalid task: every fault at once, each with its pointer")
        func invalidDocuments() async throws {
            try await withGateway { gateway in
                let client = try gateway.client()
                for fault in Self.invalid {
                    let problem = try ProblemView(await client.post("/v1/tasks", json: fault.document))
                    #expect(problem.status == 422, "\(fault.document)")
                    #expect(problem.type == "/problems/invalid-task", "\(fault.document)")
                    let errors = problem.errors ?? []
                    #expect(Set(errors.map(\.pointer)) == fault.pointers, "\(fault.document): \(errors)")
                    for word in fault.words {
                        #expect(errors.contains { $0.detail.contains(word) }, "\(fault.document): \(errors)")
                    }
                    try await expectAlive(gateway)
                }
                #expect(try await client.list().tasks.isEmpty)
            }
        }

        @Test(
            "Content that is not JSON: its line and column",
            arguments: [
                (#"{"session":"up","path":}"#, 1, 24), ("{\n  \"session\": \"up\",\n}", 3, 1), ("", 1, 1),
                ("{\"session\":\"up\"", 1, 16), ("{\"a\":01}", 1, 7), ("{\"a\":\"\u{1}\"}", 1, 7), ("{} {}", 1, 4),
            ])
        func malformed(document: String, line: Int, column: Int) async throws {
            try await withGateway { gateway in
                let client = try gateway.client()
                let problem = try ProblemView(await client.post("/v1/tasks", json: document))
                #expect(problem.status == 400)
                #expect(problem.type == "/problems/malformed-json")
                #expect([problem.line, problem.column] == [line, column])
                try await expectAlive(gateway)
            }
        }

        @Test("Too deep, too long, too many: each limit has its status, and the process survives")
        func limits() async throws {
            try await withGateway { gateway in
                let deep = String(repeating: "[", count: 100_000)
                let problem = try ProblemView(await gateway.client().post("/v1/tasks", json: deep))
                #expect(problem.status == 400)
                #expect(problem.type == "/problems/json-too-deep")
                #expect(problem.detail?.contains("at most 64 levels of arrays and objects (server.max_depth)") == true)
                try await expectAlive(gateway)

                let long = #"{"session":"up","path":"\#(String(repeating: "x", count: 2 << 20))"}"#
                let tooLarge = try ProblemView(await gateway.client().post("/v1/tasks", json: long))
                #expect(tooLarge.status == 413)
                #expect(tooLarge.detail?.contains("server.max_json") == true)
                try await expectAlive(gateway)

                let header = "X-Large: \(String(repeating: "x", count: 33 << 10))"
                let headers = try await gateway.client().get("/v1/tasks", header)
                let headersTooLarge = try ProblemView(headers)
                #expect(headersTooLarge.status == 431)
                #expect(headersTooLarge.requestId == headers["X-Request-Id"])
                let huge = "X-Large: \(String(repeating: "x", count: 256 << 10))"
                #expect(try await gateway.client().get("/v1/tasks", huge).status == 431)
                try await expectAlive(gateway)

                let target = "/v1/tasks?state=\(String(repeating: "x", count: 64 << 10))"
                #expect([414, 431].contains(try await gateway.client().get(target).status))
                try await expectAlive(gateway)
            }
        }

        @Test(
            "Compressed content gets 415, not decompressed", arguments: ["gzip", "deflate", "br", "identity, gzip"])
        func coded(coding: String) async throws {
            try await withGateway { gateway in
                let response = try await gateway.client().post(
                    "/v1/tasks", json: #"{"session":"up"}"#, "Content-Encoding: \(coding)")
                let problem = try ProblemView(response)
                #expect(problem.status == 415)
                #expect(problem.type == "/problems/unsupported-content-coding")
                #expect(response["Accept-Encoding"] == "identity")
            }
        }

        @Test("Refusals by the server itself have an instance and a detail too")
        func ofServer() async throws {
            try await withGateway { gateway in
                for (method, field, status) in [
                    ("GET", "Expect: the-unexpected", 417), ("BREW", "Accept: text/coffee", 501),
                    ("GET", "X-Large: \(String(repeating: "x", count: 33 << 10))", 431),
                ] {
                    let response = try await gateway.client().send(method, "/v1/tasks?a=b", [field])
                    let problem = try ProblemView(response)
                    #expect(problem.status == status)
                    #expect(problem.instance == "/v1/tasks", "\(status)")
                    #expect(problem.detail?.isEmpty == false, "\(status)")
                    #expect(problem.requestId == response["X-Request-Id"], "\(status)")
                }
            }
        }

        @Test("Content declared as neither JSON nor a form gets 415")
        func contentType() async throws {
            try await withGateway { gateway in
                for type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/mixed"]
                {
                    let response = try await gateway.client()
                        .send("POST", "/v1/tasks", ["Content-Type: \(type)"], json: #"{"session":"up"}"#)
                    #expect(try ProblemView(response).status == 415, "\(type)")
                }
                let declared = try await gateway.client()
                    .send(
                        "POST", "/v1/tasks", ["Content-Type: Application/JSON; charset=utf-8"],
                        json: #"{"session":"up"}"#)
                #expect(declared.status == 202)
            }
        }

        @Test("An option that an action does not have is refused, never ignored")
        func unknownOption() async throws {
            try await withGateway { gateway in
                let client = try gateway.client()
                let task = #"{"session":"up"}"#
                let created = try await client.create(task)
                let kept = try await client.post("/v1/tasks/\(created.id)/cancel", json: #"{"keep_data":true}"#)
                #expect(try ProblemView(kept).errors?.map(\.pointer) == ["/keep_data"])
            }
        }

        @Test("Modifying requests refuse unknown parameters, without effect")
        func ignoredParameters() async throws {
            try await withGateway { gateway in
                let client = try gateway.client()
                let task = try await client.create(#"{"session":"up","start":"suspended"}"#)
                for (method, path) in [
                    ("POST", "/v1/tasks:delete?state=failed"), ("POST", "/v1/tasks?dry_run=true"),
                    ("POST", "/v1/tasks/\(task.id)/cancel?wait=1s"), ("DELETE", "/v1/tasks/\(task.id)?if=done"),
                ] {
                    let problem = try ProblemView(await client.send(method, path, json: #"{"session":"up"}"#))
                    #expect(problem.status == 400, "\(path)")
                    #expect(problem.detail?.contains(": this endpoint has no such parameter") == true, "\(path)")
                }
                let batch = try await client.post(
                    "/v1/tasks:batch", json: #"{"tasks":[{"session":"up"}]}"#, "Idempotency-Key: a")
                #expect(try ProblemView(batch).status == 400)
                #expect(try await client.list().tasks.map(\.state) == ["suspended"])
            }
        }

        @Test("An invalid query gets 400 and names the parameter")
        func queries() async throws {
            try await withGateway { gateway in
                let client = try gateway.client()
                let task = try await client.create(#"{"session":"up"}"#)
                for query in [
                    "state=done", "kind=x", "page_size=0", "page_size=1001", "page_size=x", "page_token=x",
                    "created_after=yesterday", "created_before=1", "colour=red",
                    "finished_after=24h", "finished_before=2026-02-30", "retried=1", "status=6", "error=x",
                ] {
                    let problem = try ProblemView(await client.get("/v1/tasks?\(query)"))
                    #expect(problem.status == 400, "\(query)")
                    let name = query.prefix { $0 != "=" }
                    #expect(problem.detail?.hasPrefix("\(name):") == true, "\(query): \(problem.detail ?? "")")
                }
                for wait in ["fast", "-1", "", "1x"] {
                    let problem = try ProblemView(await client.get("/v1/tasks/\(task.id)?wait=\(wait)"))
                    #expect(problem.status == 400, "\(wait)")
                }
            }
        }

        private func expectAlive(_ gateway: GatewayProcess) async throws {
            #expect(try await gateway.client().get("/healthz").status == 200)
        }
    }
}
