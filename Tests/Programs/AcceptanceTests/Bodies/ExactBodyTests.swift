import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("A JSON body goes upstream exactly")
    struct ExactBodyTests {
        /// Text that RFC 8259 allows and no Unicode string can contain, and spellings that parsers often normalize.
        private static let content = #"{ "a":"\ud800", "\uDFFF" : [ "\ud83d\ud83d\ude00", 1.10, "\/" ], "a":null }"#

        private static func task(_ more: String = "", session: String = "up") -> String {
            #"{"session":"\#(session)","method":"POST","path":"x","body":{"json":\#(content)}\#(more)}"#
        }

        private func expect(
            _ response: RawHTTPClient.Response, _ status: Int, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(response.status == status, "\(response.text)", sourceLocation: sourceLocation)
        }

        @Test(
            "Halves of surrogate pairs arrive byte for byte: alone, in a batch, by a schedule, again, after a restart")
        func exact() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(ScriptedServer.accepting) { upstream in
                let settings = GatewaySettings(upstream: upstream.origin)
                let waiting = try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let task = try await client.run(Self.task())
                    #expect(task.state == "succeeded")
                    // The retry reads what is stored, and what takes its place.
                    for overrides in [nil, #"{"body":{"json":\#(Self.content)}}"#] {
                        let retried = try await client.post("/v1/tasks/\(task.id)/retry", json: overrides)
                        _ = try await client.finished(TaskView(retried, expecting: [202]))
                    }
                    expect(
                        try await client.post("/v1/tasks:batch", json: #"{"tasks":[\#(Self.task())]}"#), 200)
                    let schedule = #"{"name":"s","cron":"0 0 1 1 *","task":\#(Self.task())}"#
                    expect(try await client.post("/v1/schedules", json: schedule), 201)
                    let shown = try await client.get("/v1/schedules/s")
                    #expect(shown.text.contains(#""body":{"json":\#(Self.content)}"#), "\(shown.text)")
                    expect(try await client.post("/v1/schedules/s/run"), 202)
                    #expect(
                        await upstream.requests.first(5).map(\.body)
                            == Array(repeating: Array(Self.content.utf8), count: 5))
                    expect(try await client.post("/v1/schedules/s/suspend"), 200)
                    return try await client.create(Self.task(#","start":"suspended""#))
                }
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    expect(try await client.post("/v1/tasks/\(waiting.id)/resume"), 200)
                    #expect(try await client.finished(waiting).state == "succeeded")
                    expect(try await client.post("/v1/schedules/s/run"), 202)
                    #expect(await upstream.requests.first(7).allSatisfy { $0.body == Array(Self.content.utf8) })
                }
            }
        }

        @Test("A key of a body with halves makes one task, and no other half passes for it")
        func keys() async throws {
            try await withUpstream(ScriptedServer.accepting) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    let client = try gateway.client()
                    let key = "Idempotency-Key: k"
                    expect(try await client.post("/v1/tasks", json: Self.task(), key), 202)
                    expect(try await client.post("/v1/tasks", json: Self.task(), key), 200)
                    let other = Self.task().replacing(#"\ud800"#, with: #"\ud801"#)
                    expect(try await client.post("/v1/tasks", json: other, key), 422)
                }
            }
        }

        @Test(
            "Anywhere else half of a surrogate pair is refused at its place",
            arguments: [
                #"{"session":"up","path":"\ud800"}"#, #"{"session":"up","body":{"text":"\ud800"}}"#,
                #"{"session":"up","method":"POST","parameters":{"a":"\ud800"}}"#,
                #"{"session":"up","labels":{"json":"\ud800"}}"#, #"{"json":"\ud800"}"#,
            ])
        func refused(json: String) async throws {
            try await withGateway { gateway in
                let client = try gateway.client()
                let problem = try ProblemView(await client.post("/v1/tasks", json: json))
                #expect(problem.status == 400)
                #expect(problem.detail?.contains("unpaired surrogate") == true, "\(problem)")
                let place = try #require(json.range(of: #"\ud800"#)?.lowerBound)
                #expect(problem.column == json.distance(from: json.startIndex, to: place) + 1)
            }
        }

        @Test("The callback of a task whose response has such halves is delivered")
        func callback() async throws {
            try await withUpstream { connection in
                let request = try connection.readRequest()
                let isTask = request.line.hasPrefix("GET")
                try connection.respond("200 OK", ["Content-Type: application/json"], body: isTask ? Self.content : "{}")
            } _: { upstream in
                let settings = CallbackSettings.settings(
                    upstream: upstream.origin, secrets: [CallbackSettings.secret])
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let task = try await client.run(CallbackSettings.task(callback: "\(upstream.origin)/hook"))
                    let delivery = try await client.finished(client.delivery(about: task))
                    #expect(delivery.state == "succeeded", "\(delivery)")
                    let message = try #require(await upstream.requests.first(2).last)
                    #expect(String(decoding: message.body, as: UTF8.self).contains(#""object":\#(Self.content)"#))
                }
            }
        }
    }
}
