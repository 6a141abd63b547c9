import ErrandCryptography
import ErrandSupport
import ErrandText
import Foundation
import Testing

extension Acceptance {
    @Suite("Upload tasks")
    struct UploadTaskTests {
        private static let later = #"{"session":"up","kind":"upload","path":"in","body":{"content":"later"}}"#

        private func settings(_ upstream: ScriptedServer, attempts: Int = 1) -> GatewaySettings {
            var settings = GatewaySettings(upstream: upstream.origin)
            settings.attempts = nil
            settings.session = ["retry: { max_attempts: \(attempts), methods: [POST], backoff: { initial: 1ms } }"]
            return settings
        }

        private static func digest(_ bytes: [UInt8]) -> String { Hexadecimal.encode(SHA256.hash(bytes)) }

        @Test("Content that is sent after its task reaches the upstream unchanged, and its file is removed at the end")
        func later() async throws {
            let upstream = ContentUpstream(failures: 2)
            let content = ContentUpstream.content(3 << 20)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server, attempts: 3), in: folder) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(Self.later)
                    #expect((task.state, task.hold, task.kind) == ("scheduled", "content", "upload"))
                    #expect(task.request.method == "POST")
                    #expect(task.links["content"] == "/v1/tasks/\(task.id)/content")
                    #expect(task.links["run_now"] == nil)
                    #expect(try await client.put(content, to: task).status == 204)
                    let done = try await client.finished(task)
                    #expect(done.state == "succeeded")
                    #expect(done.attempts.count == 3, "the content is sent again after a failure")
                    #expect(done.content?.size == content.count)
                    #expect(done.content?.sha256 == Self.digest(content))
                    #expect(done.progress.upload.completed == content.count)
                    #expect(upstream.digests == Array(repeating: Self.digest(content), count: 3))
                    #expect(try folder.files(below: "data/contents").isEmpty)
                    let empty = try await client.create(Self.later)
                    #expect(try await client.put([], to: empty).status == 204)
                    #expect(try await client.finished(empty).state == "succeeded")
                    #expect(upstream.digests.last == Self.digest([]))
                }
            }
        }

        @Test("A task without its content cannot start; suspended, it stays so when the content arrives")
        func waiting() async throws {
            let upstream = ContentUpstream()
            let content = ContentUpstream.content(100)
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server)) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(Self.later)
                    let refused = try await client.post("/v1/tasks/\(task.id)/run-now")
                    #expect(refused.status == 409)
                    #expect(try ProblemView(refused).detail?.contains("PUT /v1/tasks/\(task.id)/content") == true)
                    #expect(try TaskView(await client.post("/v1/tasks/\(task.id)/suspend")).state == "suspended")
                    #expect(try TaskView(await client.post("/v1/tasks/\(task.id)/resume")).state == "scheduled")
                    #expect(try TaskView(await client.post("/v1/tasks/\(task.id)/suspend")).state == "suspended")
                    #expect(try await client.put(content, to: task).status == 204)
                    let suspended = try await client.task(task.id)
                    #expect((suspended.state, suspended.hold) == ("suspended", nil))
                    _ = try TaskView(await client.post("/v1/tasks/\(task.id)/resume"))
                    #expect(try await client.finished(task).state == "succeeded")
                    let early = try await client.create(
                        #"{"session":"up","kind":"upload","path":"in","body":{"content":"later"},"delay":"365d"}"#)
                    #expect(try await client.put(content, to: early).status == 204)
                    let scheduled = try await client.task(early.id)
                    #expect((scheduled.state, scheduled.hold) == ("scheduled", nil))
                    let canceled = try await client.create(Self.later)
                    #expect(try TaskView(await client.post("/v1/tasks/\(canceled.id)/cancel")).state == "canceled")
                    #expect(try await client.put(content, to: canceled).status == 409)
                    #expect(upstream.digests.count == 1)
                }
            }
        }

        @Test("Content that no task waits for, a part of content and another digest are refused with a reason")
        func refused() async throws {
            let upstream = ContentUpstream()
            let content = ContentUpstream.content(1000)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                var settings = settings(server)
                settings.server = ["max_content: 1000"]
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    func problem(_ response: RawHTTPClient.Response) throws -> String {
                        "\(response.status) \(try ProblemView(response).detail ?? "")"
                    }
                    let data = try await client.create(#"{"session":"up","path":"in","start":"suspended"}"#)
                    #expect(
                        try problem(await client.put(content, to: data)).hasPrefix(
                            "409 the task does not wait for content"))
                    #expect(
                        try await client.put(content, toPath: "/v1/tasks/\(UUID().uuidString.lowercased())/content")
                            .status == 404)
                    let task = try await client.create(Self.later)
                    for (field, status) in [
                        ("Content-Range: bytes 0-999/2000", "400"), ("Content-Encoding: gzip", "415"),
                        ("Content-Digest: sha-256=:AAAA:", "400"),
                        ("Content-Digest: sha-256=:\(Data(count: 32).base64EncodedString()):", "400"),
                    ] {
                        let found = try problem(await gateway.client().put(content, to: task, [field]))
                        #expect(found.hasPrefix(status), "\(field): \(found)")
                    }
                    let large = try await gateway.client().put(content + [0], to: task)
                    #expect(try problem(large) == "413 expected content of at most 1000 bytes (server.max_content)")
                    let chunked = try gateway.client()
                    let head = ["PUT /v1/tasks/\(task.id)/content HTTP/1.1", "Host: 127.0.0.1"]
                    try await chunked.connection.send(
                        (head + ["Transfer-Encoding: chunked", "", "3e9"]).joined(separator: "\r\n") + "\r\n")
                    try await chunked.connection.send(content + Array("0\r\n0\r\n\r\n".utf8))
                    #expect(try await chunked.connection.response().status == 413)
                    #expect(try folder.files(below: "data/contents").isEmpty)
                    let digest = Data(SHA256.hash(content)).base64EncodedString()
                    #expect(
                        try await client.put(content, to: task, ["Content-Digest: sha-512=:AA==:, sha-256=:\(digest):"])
                            .status == 204)
                    #expect(try await client.finished(task).state == "succeeded")
                    let again = try problem(await client.put(content, to: task))
                    #expect(again.contains("1000 bytes, SHA-256 \(Self.digest(content))"), "\(again)")
                }
            }
        }

        @Test("Only an upload takes its content later, and it needs a body")
        func documents() async throws {
            try await withGateway(GatewaySettings()) { gateway in
                let client = try gateway.client()
                for (document, pointer) in [
                    (#"{"session":"up","path":"in","body":{"content":"later"}}"#, "/body/content"),
                    (#"{"session":"up","kind":"upload","path":"in"}"#, "/body"),
                    (#"{"session":"up","kind":"upload","path":"in","body":{"content":"now"}}"#, "/body/content"),
                    (#"{"session":"up","path":"in","body":{"content":"stream"}}"#, "/body/content"),
                    (#"{"session":"up","kind":"upload","path":"in","body":{"content":"later","text":""}}"#, "/body"),
                    (#"{"session":"up","kind":"upload","method":"GET","body":{"content":"later"}}"#, "/body"),
                ] {
                    let response = try await client.post("/v1/tasks", json: document)
                    #expect(response.status == 422, "\(document)")
                    #expect(try ProblemView(response).errors?.map(\.pointer) == [pointer], "\(document)")
                }
                let upload = #"{"session":"up","kind":"upload","path":"in","body":{"content":"later"}}"#
                let schedule = try await client.post(
                    "/v1/schedules", json: #"{"name":"s","cron":"@daily","task":\#(upload)}"#)
                #expect(try ProblemView(schedule).errors?.map(\.pointer) == ["/task/body/content"])
            }
        }

        @Test("With request.content_digest the upstream gets the digest of content that is in memory or stored")
        func digest() async throws {
            let upstream = ContentUpstream()
            let content = ContentUpstream.content(1 << 20)
            try await withUpstream(upstream.answer) { server in
                var settings = GatewaySettings()
                settings.sessions = ["digest: { base_url: '\(server.origin)/', request: { content_digest: sha-256 } }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let stored = try await client.create(
                        #"{"session":"digest","kind":"upload","body":{"content":"later"}}"#)
                    #expect(try await client.put(content, to: stored).status == 204)
                    #expect(try await client.finished(stored).state == "succeeded")
                    let text = #"{"session":"digest","body":{"text":"hello"}}"#
                    #expect(try await client.run(text).state == "succeeded")
                }
            }
            let expected = [content, Array("hello".utf8)].map { "sha-256=:\(Base64.encode(SHA256.hash($0))):" }
            #expect(upstream.announced == expected)
        }

        @Test("Stored content is sent again after a redirect that keeps the method, and after a challenge")
        func again() async throws {
            let content = ContentUpstream.content(300_000)
            try await withUpstream({ connection in
                while true {
                    let request = try connection.readRequest()
                    if request.line.contains("/moved ") {
                        try connection.respond("307 Temporary Redirect", ["Location: /in"])
                    } else if request["Authorization"] == nil {
                        try connection.respond(
                            "401 Unauthorized", [#"WWW-Authenticate: Digest realm="r", nonce="n", qop="auth""#])
                    } else {
                        try connection.respond("200 OK", ["Content-Type: application/json"], body: "{}")
                    }
                }
            }) { upstream in
                var settings = GatewaySettings()
                let digest = "digest: { username: ada, password: secret }"
                settings.sessions = ["closed: { base_url: '\(upstream.origin)/', credentials: { \(digest) } }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(
                        #"{"session":"closed","kind":"upload","path":"moved","body":{"content":"later"}}"#)
                    #expect(try await client.put(content, to: task).status == 204)
                    let done = try await client.finished(task)
                    #expect(done.state == "succeeded")
                    #expect(done.attempts.count == 1)
                    let requests = upstream.requests.events
                    #expect(requests.map(\.line) == ["moved", "in", "in"].map { "POST /\($0) HTTP/1.1" })
                    #expect(requests.allSatisfy { $0.body == content })
                }
            }
        }

        @Test("A client that leaves before the end leaves no content, and another one can send it")
        func left() async throws {
            let upstream = ContentUpstream()
            let content = ContentUpstream.content(2 << 20)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server), in: folder) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(Self.later)
                    let leaving = try gateway.client()
                    try await leaving.connection.send(
                        """
                        PUT /v1/tasks/\(task.id)/content HTTP/1.1\r\nHost: 127.0.0.1\r
                        Content-Length: \(content.count)\r\n\r\n
                        """)
                    try await leaving.connection.send(Array(content.prefix(1 << 20)))
                    // The part file shows that the gateway is receiving it.
                    try await until { try !folder.files(below: "data/contents").isEmpty }
                    let taken = try await client.put([1], to: task)
                    #expect(taken.status == 409)
                    leaving.connection.reset()
                    // Until the gateway has noticed, it refuses another client and may close its connection early.
                    try await until { (try? await gateway.client().put(content, to: task).status == 204) ?? false }
                    #expect(try await client.finished(task).state == "succeeded")
                    #expect(upstream.digests == [Self.digest(content)])
                    #expect(try folder.files(below: "data/contents").isEmpty)
                }
            }
        }

        @Test("Content that was accepted survives kill -9; content that was not can be sent again")
        func killed() async throws {
            let upstream = ContentUpstream()
            let content = ContentUpstream.content(1 << 20)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                let settings = settings(server)
                var gateway = try await GatewayProcess(settings, in: folder)
                let suspended = Self.later.dropLast() + #","start":"suspended"}"#
                let complete = try await gateway.client().create(String(suspended))
                let waiting = try await gateway.client().create(Self.later)
                #expect(try await gateway.client().put(content, to: complete).status == 204)
                let half = try gateway.client()
                try await half.connection.send(
                    "PUT /v1/tasks/\(waiting.id)/content HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n1234")
                await gateway.kill()
                gateway = try await GatewayProcess(settings, in: folder)
                let client = try gateway.client()
                _ = try TaskView(await client.post("/v1/tasks/\(complete.id)/resume"))
                #expect(try await client.finished(complete).state == "succeeded")
                #expect(try await client.task(waiting.id).hold == "content")
                #expect(try await client.put(content, to: waiting).status == 204)
                #expect(try await client.finished(waiting).state == "succeeded")
                #expect(upstream.digests == [Self.digest(content), Self.digest(content)])
                #expect(await gateway.stop() == .status(0))
            }
        }

        @Test("A retry of a failed upload sends its content again; one of a succeeded upload waits for content")
        func retried() async throws {
            let upstream = ContentUpstream(failures: 1)
            let content = ContentUpstream.content(300_000)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server), in: folder) { gateway in
                    let client = try gateway.client()
                    let first = try await client.create(Self.later)
                    #expect(try await client.put(content, to: first).status == 204)
                    #expect(try await client.finished(first).state == "failed")
                    let second = try TaskView(await client.post("/v1/tasks/\(first.id)/retry"), expecting: [202])
                    #expect(try await client.finished(second).state == "succeeded")
                    #expect(upstream.digests == [Self.digest(content), Self.digest(content)])
                    #expect(try folder.files(below: "data/contents").count == 1, "the failed task keeps its content")
                    #expect(try await client.send("DELETE", "/v1/tasks/\(first.id)").status == 204)
                    #expect(try folder.files(below: "data/contents").isEmpty)
                    let third = try TaskView(await client.post("/v1/tasks/\(second.id)/retry"), expecting: [202])
                    #expect(third.hold == "content")
                }
            }
        }
    }
}

extension APIClient {
    /// Sends the content of a task.
    func put(
        _ content: [UInt8], to task: TaskView, _ headers: [String] = []
    ) async throws -> RawHTTPClient.Response {
        try await put(content, toPath: "/v1/tasks/\(task.id)/content", headers)
    }

    fileprivate func put(
        _ content: [UInt8], toPath path: String, _ headers: [String] = []
    ) async throws -> RawHTTPClient.Response {
        let lines = ["PUT \(path) HTTP/1.1", "Host: 127.0.0.1", "Content-Length: \(content.count)"] + headers
        try await connection.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + content)
        return try await connection.response()
    }
}
