import ErrandCryptography
import ErrandSupport
import ErrandText
import Foundation
import Testing

extension Acceptance {
    @Suite("Uploads whose content is passed on")
    struct StreamedUploadTests {
        private static let stream = #"{"session":"up","kind":"upload","path":"in","body":{"content":"stream"}}"#

        private static func digest(_ bytes: [UInt8]) -> String { Hexadecimal.encode(SHA256.hash(bytes)) }

        private static func head(_ task: TaskView, _ framing: String) -> String {
            "PUT /v1/tasks/\(task.id)/content HTTP/1.1\r\nHost: 127.0.0.1\r\n\(framing)\r\n\r\n"
        }

        /// Answers with 200 and an empty object.
        private static func accept(_ connection: ScriptedConnection) throws {
            try connection.respond("200 OK", ["Content-Type: application/json"], body: "{}")
        }

        @Test("Each piece reaches the upstream before the client sends the next, with the length that it announced")
        func pieces() async throws {
            let (heads, pieces) = (EventLog<ScriptedRequest>(), EventLog<[UInt8]>())
            try await withUpstream({ connection in
                heads.append(try connection.readHead())
                for _ in 0..<3 { pieces.append(try connection.read(5)) }
                try Self.accept(connection)
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(Self.stream)
                    #expect((task.state, task.hold, task.kind) == ("scheduled", "content", "upload"))
                    let sender = try gateway.client().connection
                    try await sender.send(Self.head(task, "Content-Length: 15"))
                    #expect(await heads.first(1)[0]["Content-Length"] == "15")
                    for (number, piece) in ["first", "other", "third"].enumerated() {
                        #expect(try await client.task(task.id).state == "running")
                        try await sender.send(piece)
                        #expect(await pieces.first(number + 1)[number] == Array(piece.utf8))
                    }
                    #expect(try await sender.response().status == 204)
                    let done = try await client.finished(task)
                    #expect(done.state == "succeeded")
                    #expect((done.content?.size, done.content?.complete) == (15, true))
                    #expect(done.content?.sha256 == nil)
                    #expect((done.progress.upload.completed, done.progress.upload.total) == (15, 15))
                    try await sender.send(Self.head(task, "Content-Length: 1") + "x")
                    let again = try ProblemView(await sender.response())
                    #expect(again.status == 409)
                    #expect(again.detail?.hasPrefix("all of the content (15 bytes) was passed on") == true)
                }
            }
        }

        @Test("With request.expect_continue a challenge and a redirect come before the content, which is sent once")
        func consent() async throws {
            let content = EventLog<[UInt8]>()
            let heads = EventLog<ScriptedRequest>()
            try await withUpstream({ connection in
                let head = try connection.readHead()
                heads.append(head)
                guard head["Authorization"] != nil else {
                    return try connection.respond(
                        "401 Unauthorized", [#"WWW-Authenticate: Digest realm="r", nonce="n", qop="auth""#])
                }
                guard head.line.contains("/moved") else {
                    return try connection.respond("307 Temporary Redirect", ["Location: /moved"])
                }
                try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
                content.append(try connection.read(15))
                try Self.accept(connection)
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.sessions = [
                    """
                    careful: { base_url: '\(upstream.origin)/', request: { expect_continue: 10 }, \
                    credentials: { digest: { username: ada, password: secret } } }
                    """
                ]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(
                        Self.stream.replacing(#""session":"up""#, with: #""session":"careful""#))
                    let sender = try gateway.client().connection
                    try await sender.send(Self.head(task, "Content-Length: 15") + "firstotherthird")
                    #expect(try await sender.response().status == 204)
                    #expect(try await client.finished(task).state == "succeeded")
                    #expect(content.events == [Array("firstotherthird".utf8)])
                    #expect(heads.events.count >= 3)
                    #expect(heads.events.allSatisfy { $0["Expect"] == "100-continue" })
                }
            }
        }

        @Test("A chunked content is sent chunked, and an empty one is sent too")
        func chunked() async throws {
            let requests = EventLog<ScriptedRequest>()
            try await withUpstream({ connection in
                while true {
                    requests.append(try connection.readRequest())
                    try Self.accept(connection)
                }
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    let client = try gateway.client()
                    let content = ContentUpstream.content(300_000)
                    let chunked = try await client.create(Self.stream)
                    try await client.connection.send(Self.head(chunked, "Transfer-Encoding: chunked"))
                    for piece in [content[..<1], content[1..<70_000], content[70_000...]] {
                        try await client.connection.send("\(String(piece.count, radix: 16))\r\n")
                        try await client.connection.send(Array(piece) + Array("\r\n".utf8))
                    }
                    try await client.connection.send("0\r\n\r\n")
                    #expect(try await client.connection.response().status == 204)
                    let done = try await client.finished(chunked)
                    #expect(done.state == "succeeded")
                    #expect((done.progress.upload.completed, done.progress.upload.total) == (300_000, 300_000))
                    let sent = await requests.first(1)[0]
                    #expect(sent["Transfer-Encoding"] == "chunked")
                    #expect(sent["Content-Length"] == nil)
                    #expect(sent.body == content)
                    for framing in ["Content-Length: 0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"] {
                        let empty = try await client.create(Self.stream)
                        try await client.connection.send(String(Self.head(empty, framing).dropLast(2)))
                        #expect(try await client.connection.response().status == 204)
                        #expect(try await client.finished(empty).state == "succeeded")
                    }
                    #expect(await requests.first(3).dropFirst().allSatisfy { $0.body.isEmpty })
                }
            }
        }

        @Test("An upstream that does not read holds back the client, and the gateway keeps little of the content")
        func backPressure() async throws {
            /// More than the buffers of all sockets can contain.
            let content = ContentUpstream.content(64 << 20)
            let (arrived, gate, digest) = (Signal<Void>(), Gate(), Signal<String>())
            try await withUpstream({ connection in
                let head = try connection.readHead()
                if head.line.contains("/other ") { return try Self.accept(connection) }
                arrived.send()
                // The test waits for one, also if the gateway closes the connection.
                defer { digest.send("none") }
                gate.wait()
                digest.send(Self.digest(try connection.read(content.count)))
                try Self.accept(connection)
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(Self.stream)
                    let sender = try gateway.client().connection
                    try await sender.send(Self.head(task, "Content-Length: \(content.count)"))
                    await arrived.wait()
                    // Other tasks, on the same threads: the gateway has served each connection that it serves meanwhile.
                    var (sent, stalled) = (0, 0)
                    while stalled < 20 {
                        let count = try sender.sendWhatFits(Array(content[sent..<min(sent + (1 << 20), content.count)]))
                        sent += count
                        stalled = count == 0 ? stalled + 1 : 0
                        #expect(try await client.run(#"{"session":"up","path":"other"}"#).state == "succeeded")
                    }
                    #expect(sent < content.count)
                    let before = try gateway.process.residentMemoryBytes()
                    print("held back after \(sent) bytes of \(content.count); \(before) bytes of memory")
                    gate.open()
                    try await sender.send(Array(content[sent...]))
                    #expect(try await sender.response().status == 204)
                    #expect(await digest.wait() == Self.digest(content))
                    #expect(try await client.finished(task).state == "succeeded")
                    #expect(try gateway.process.peakMemoryBytes() < before + content.count / 2)
                }
            }
        }

        @Test("A client that leaves ends the transfer, and the task fails without a retry")
        func left() async throws {
            let arrived = EventLog<[UInt8]>()
            let ended = Signal<Void>()
            try await withUpstream({ connection in
                _ = try connection.readHead()
                arrived.append(try connection.read(5))
                connection.waitForClose()
                ended.send()
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.attempts = nil
                settings.session = ["retry: { max_attempts: 3, methods: [POST], backoff: { initial: 1ms } }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(Self.stream)
                    let leaving = try gateway.client().connection
                    try await leaving.send(Self.head(task, "Content-Length: 10") + "hello")
                    #expect(await arrived.first(1) == [Array("hello".utf8)])
                    leaving.reset()
                    await ended.wait()
                    let done = try await client.finished(task)
                    #expect(done.state == "failed")
                    #expect(done.attempts.count == 1)
                    #expect(done.error?.code == "content_incomplete")
                    #expect(done.error?.mayHaveArrived == true)
                    expectCutOff(done)
                }
            }
        }

        /// Checks that the task counts the five bytes that were sent, and has no complete content.
        private func expectCutOff(_ task: TaskView) {
            #expect((task.content?.size, task.content?.complete) == (5, false))
            #expect((task.progress.upload.completed, task.progress.upload.total) == (5, nil))
        }

        @Test("A task that is canceled, or whose upstream responds early, counts the bytes that were sent")
        func endedEarly() async throws {
            let arrived = EventLog<[UInt8]>()
            try await withUpstream({ connection in
                let head = try connection.readHead()
                arrived.append(try connection.read(5))
                guard head.line.contains("/early ") else { return connection.waitForClose() }
                try connection.respond("422 Unprocessable Content", ["Connection: close"], body: "no")
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    let client = try gateway.client()
                    for path in ["canceled", "early"] {
                        let task = try await client.create(Self.stream.replacing(#""in""#, with: #""\#(path)""#))
                        let sender = try gateway.client().connection
                        let before = arrived.events.count
                        try await sender.send(Self.head(task, "Content-Length: 10") + "hello")
                        _ = await arrived.first(before + 1)
                        if path == "canceled" { _ = try await client.post("/v1/tasks/\(task.id)/cancel") }
                        let done = try await client.finished(task)
                        // The response comes after the content, of which the server drops a little.
                        try await sender.send("world")
                        #expect(try await sender.response().status == 409)
                        #expect(done.state == (path == "canceled" ? "canceled" : "failed"))
                        expectCutOff(done)
                        try await client.connection.send(Self.head(task, "Content-Length: 1") + "x")
                        let again = try ProblemView(await client.connection.response())
                        #expect(again.detail?.contains("after 5 bytes of its content were passed on") == true)
                    }
                }
            }
        }

        /// Runs a gateway whose only slot a task has, with a task behind it that takes its content from a client.
        private func withQueuedTask(
            _ gate: Gate, _ body: (GatewayProcess, APIClient, TaskView) async throws -> Void
        ) async throws {
            try await withUpstream(holding: gate) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.session = ["limits: { concurrent: 1 }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let held = try await client.create(#"{"session":"up","path":"held"}"#)
                    let task = try await client.create(Self.stream)
                    try await body(gateway, client, task)
                    #expect(try await client.finished(held).state == "succeeded")
                }
            }
        }

        @Test("A task that waits for a slot fails when the client of its content leaves")
        func leftWhileQueued() async throws {
            let gate = Gate()
            try await withQueuedTask(gate) { gateway, client, task in
                let leaving = try gateway.client().connection
                try await leaving.send(Self.head(task, "Content-Length: 10") + "hello")
                try await until { try await client.task(task.id).state == "queued" }
                let second = try await gateway.client().put([1], to: task)
                #expect(second.status == 409)
                leaving.reset()
                let done = try await client.finished(task)
                #expect((done.state, done.error?.code) == ("failed", "content_incomplete"))
                #expect(done.attempts.isEmpty)
                gate.open()
            }
        }

        @Test("A client that has sent all of the content may close its sending side while the task waits for a slot")
        func halfClosedWhileQueued() async throws {
            let gate = Gate()
            try await withQueuedTask(gate) { gateway, client, task in
                let sender = try gateway.client().connection
                try await sender.send(Self.head(task, "Content-Length: 5") + "hello")
                sender.finishSending()
                try await until { try await client.task(task.id).state == "queued" }
                gate.open()
                #expect(try await sender.response().status == 204)
                let done = try await client.finished(task)
                #expect(done.state == "succeeded")
                #expect((done.content?.size, done.content?.complete) == (5, true))
            }
        }

        @Test("A redirect that needs the content again fails with body_stream_exhausted, and a failure is not retried")
        func spent() async throws {
            let requests = EventLog<ScriptedRequest>()
            try await withUpstream({ connection in
                while true {
                    let request = try connection.readRequest()
                    requests.append(request)
                    if request.line.contains("/moved") {
                        try connection.respond("307 Temporary Redirect", ["Location: /in"])
                    } else {
                        try connection.respond("503 Service Unavailable")
                    }
                }
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.attempts = nil
                settings.session = ["retry: { max_attempts: 3, methods: [PUT, POST], backoff: { initial: 1ms } }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    for (path, code, reason) in [
                        ("moved", "body_stream_exhausted", nil), ("in", "unacceptable_status", "may_have_arrived"),
                    ] as [(String, String, String?)] {
                        let task = try await client.create(
                            """
                            {"session":"up","kind":"upload","method":"PUT","path":"\(path)","body":{"content":"stream"}}
                            """)
                        #expect(try await client.put(Array("hello".utf8), to: task).status == 204)
                        let done = try await client.finished(task)
                        #expect((done.state, done.error?.code) == ("failed", code))
                        #expect(done.error?.notRetried == reason)
                        #expect(done.attempts.count == 1)
                        let again = try TaskView(await client.post("/v1/tasks/\(task.id)/retry"), expecting: [202])
                        #expect(again.hold == "content", "a client's retry waits for new content")
                    }
                    #expect(requests.events.count == 2)
                }
            }
        }

        @Test("A connection that the upstream closes is lost, whether it was new or used before")
        func closed() async throws {
            let requests = EventLog<ScriptedRequest>()
            try await withUpstream({ connection in
                while true {
                    let request = try connection.readRequest()
                    requests.append(request)
                    if request.line.contains("/in") { return }
                    try Self.accept(connection)
                }
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.attempts = nil
                settings.session = ["retry: { max_attempts: 3, methods: [GET, POST], backoff: { initial: 1ms } }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    for isReused in [false, true] {
                        if isReused { _ = try await client.run(#"{"session":"up","path":"other"}"#) }
                        let task = try await client.create(Self.stream)
                        #expect(try await client.put(Array("hello".utf8), to: task).status == 204)
                        let done = try await client.finished(task)
                        #expect((done.state, done.error?.code) == ("failed", "connection_lost"))
                        #expect(done.error?.mayHaveArrived == true)
                        #expect(done.error?.notRetried == "may_have_arrived")
                        #expect(done.attempts.count == 1)
                    }
                    #expect(requests.events.map(\.connection) == [0, 1, 1])
                }
            }
        }

        @Test("An attempt that took no byte is repeated while the client waits")
        func repeated() async throws {
            let bodies = EventLog<[UInt8]>()
            let upstream = try ScriptedServer(listens: false) { connection in
                bodies.append(try connection.readRequest().body)
                try Self.accept(connection)
            }
            defer { upstream.stop() }
            var settings = GatewaySettings(upstream: upstream.origin)
            settings.attempts = nil
            settings.session = ["retry: { max_attempts: 100, backoff: { initial: 1ms, max: 1s } }"]
            try await withGateway(settings) { gateway in
                let client = try gateway.client()
                let task = try await client.create(Self.stream)
                let sender = try gateway.client().connection
                try await sender.send(Self.head(task, "Content-Length: 5") + "hello")
                try await until { try await client.task(task.id).attempts.count >= 2 }
                try upstream.listen()
                #expect(try await sender.response().status == 204)
                #expect(try await client.finished(task).state == "succeeded")
                #expect(bodies.events == [Array("hello".utf8)])
            }
        }

        @Test("A task that cannot start, a digest and a content beyond the limit are refused with a reason")
        func refused() async throws {
            try await withUpstream(ScriptedServer.accepting) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.server = ["max_content: 1000000"]
                try await withGateway(settings) { gateway in
                    func put(_ task: TaskView, _ text: String) async throws -> String {
                        let sender = try gateway.client().connection
                        try await sender.send(text)
                        let response = try await sender.response()
                        return "\(response.status) \(try ProblemView(response).detail ?? "")"
                    }
                    let client = try gateway.client()
                    let task = try await client.create(Self.stream)
                    let digest = "sha-256=:\(Data(count: 32).base64EncodedString()):"
                    let digested = try await put(
                        task, Self.head(task, "Content-Length: 1\r\nContent-Digest: \(digest)") + "x")
                    #expect(digested.hasPrefix("400 Content-Digest: the content is passed on"))
                    let large = try await put(task, Self.head(task, "Content-Length: 1000001"))
                    #expect(large == "413 expected content of at most 1000000 bytes (server.max_content)")
                    _ = try TaskView(await client.post("/v1/tasks/\(task.id)/suspend"))
                    let suspended = try await put(task, Self.head(task, "Content-Length: 1") + "x")
                    #expect(suspended.hasPrefix("409 the task is suspended and passes its content on"), "\(suspended)")
                    let later = try await client.create(String(Self.stream.dropLast() + #","delay":"1d"}"#))
                    let scheduled = try await put(later, Self.head(later, "Content-Length: 1") + "x")
                    #expect(scheduled.hasPrefix("409 the task cannot start yet"), "\(scheduled)")
                    #expect(try await client.task(later.id).hold == "content")
                }
            }
        }

        @Test("A chunked content beyond the limit ends the transfer, and the task fails")
        func tooLarge() async throws {
            try await withUpstream({ connection in
                _ = try connection.readHead()
                connection.waitForClose()
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.server = ["max_content: 1000"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(Self.stream)
                    let sender = try gateway.client().connection
                    try await sender.send(Self.head(task, "Transfer-Encoding: chunked") + "3e9\r\n")
                    try await sender.send([UInt8](repeating: 7, count: 1001) + Array("\r\n0\r\n\r\n".utf8))
                    #expect(try await sender.response().status == 413)
                    let done = try await client.finished(task)
                    #expect((done.state, done.error?.code) == ("failed", "content_incomplete"))
                }
            }
        }

        @Test("A task whose content was being passed on when the gateway was killed is not sent again")
        func killed() async throws {
            let arrived = EventLog<[UInt8]>()
            let folder = try TemporaryFolder()
            try await withUpstream({ connection in
                _ = try connection.readHead()
                arrived.append(try connection.read(5))
                connection.waitForClose()
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.session = ["retry: { max_attempts: 3, methods: [POST], after_crash: resend }"]
                var gateway = try await GatewayProcess(settings, in: folder)
                let client = try gateway.client()
                let task = try await client.create(Self.stream)
                let waiting = try await client.create(Self.stream)
                try await client.connection.send(Self.head(task, "Content-Length: 10") + "hello")
                #expect(await arrived.first(1) == [Array("hello".utf8)])
                await gateway.kill()
                gateway = try await GatewayProcess(settings, in: folder)
                let done = try await gateway.client().finished(task)
                #expect((done.state, done.error?.code) == ("failed", "interrupted"))
                #expect(try await gateway.client().task(waiting.id).hold == "content")
                #expect(arrived.events.count == 1)
                #expect(await gateway.stop() == .status(0))
            }
        }
    }
}
