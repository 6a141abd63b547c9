import ErrandLocking
import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Downloads without a destination")
    struct BodyDownloadTests {
        private static let document = #"{"session":"up","kind":"download","path":"file"}"#

        private func settings(_ upstream: ScriptedServer, attempts: Int = 1) -> GatewaySettings {
            var settings = GatewaySettings(upstream: upstream.origin)
            settings.attempts = nil
            settings.session = ["retry: { max_attempts: \(attempts), backoff: { initial: 1ms, multiplier: 1 } }"]
            return settings
        }

        /// The partial files and their records.
        private static func partials(in folder: TemporaryFolder) -> [String] {
            let path = folder["data/bodies/.downloads.part"]
            return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        }

        /// Sends a part of a file.
        private static func send(
            _ content: some Collection<UInt8>, of range: Range<Int>, _ size: Int, tag: String = "v1",
            over connection: ScriptedConnection
        ) throws {
            let status =
                range.lowerBound > 0
                ? "206 Partial Content\r\nContent-Range: bytes \(range.lowerBound)-\(size - 1)/\(size)" : "200 OK"
            try connection.send(
                "HTTP/1.1 \(status)\r\nETag: \"\(tag)\"\r\nContent-Type: application/octet-stream\r\n"
                    + "Content-Length: \(range.count)\r\n\r\n")
            try connection.send(Array(content))
        }

        @Test("continue after cut connections and kills, and request only what was not received")
        func resumed() async throws {
            let upstream = RangedUpstream(8 << 20, cuts: 30)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                let settings = settings(server, attempts: 100)
                var gateway = try await GatewayProcess(settings, in: folder)
                let task = try await gateway.client().create(Self.document)
                for request in [2, 4, 6] {
                    _ = await server.requests.first(request)
                    await gateway.kill()
                    gateway = try await GatewayProcess(settings, in: folder)
                }
                let done = try await gateway.client().finished(task)
                #expect(done.state == "succeeded")
                #expect(done.response?.body?.size == upstream.content.count)
                #expect(done.response?.body?.sha256 == upstream.digest)
                #expect(done.progress.download.completed == upstream.content.count)
                let body = try await gateway.client().get("/v1/tasks/\(task.id)/body")
                #expect(body.body == upstream.content)
                #expect(upstream.ranges > 4)
                #expect(upstream.served < 2 * upstream.content.count)
                #expect(Self.partials(in: folder).isEmpty)
                #expect(await gateway.stop() == .status(0))
            }
        }

        @Test("say what can be resumed, and a retry continues it; one that is deleted leaves nothing")
        func retried() async throws {
            let upstream = RangedUpstream(4 << 20, cuts: 2)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server), in: folder) { gateway in
                    let client = try gateway.client()
                    let failed = try await client.run(Self.document)
                    #expect(failed.error?.code == "connection_lost")
                    #expect(Self.partials(in: folder).count == 2)
                    let text = try await client.get("/v1/tasks/\(failed.id)").text
                    #expect(text.contains(#""resume":{"available":true"#), "\(text)")
                    let deleted = try await client.run(Self.document)
                    #expect(deleted.error?.code == "connection_lost")
                    #expect(Self.partials(in: folder).count == 4)
                    _ = try await client.send("DELETE", "/v1/tasks/\(deleted.id)")
                    #expect(Self.partials(in: folder).count == 2)
                    let again = try TaskView(
                        await client.post("/v1/tasks/\(failed.id)/retry"), expecting: [201, 202])
                    let done = try await client.finished(again)
                    #expect(done.state == "succeeded")
                    #expect(done.response?.body?.sha256 == upstream.digest)
                    #expect(upstream.ranges == 1)
                    #expect(Self.partials(in: folder).isEmpty)
                }
            }
        }

        @Test("keep what they have when they are canceled with keep_resume_data, and nothing otherwise")
        func canceled() async throws {
            let upstream = RangedUpstream(4 << 20, cuts: 1, stalls: true)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                let settings = settings(server, attempts: 2)
                let id = try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(Self.document)
                    try await until { upstream.ranges > 0 }
                    _ = try await client.post("/v1/tasks/\(task.id)/cancel", json: #"{"keep_resume_data":true}"#)
                    #expect(try await client.finished(task).state == "canceled")
                    #expect(Self.partials(in: folder).count == 2)
                    return task.id
                }
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let again = try TaskView(await client.post("/v1/tasks/\(id)/retry"), expecting: [201, 202])
                    try await until { upstream.ranges > 1 }
                    _ = try await client.post("/v1/tasks/\(again.id)/cancel")
                    #expect(try await client.finished(again).state == "canceled")
                    try await until { Self.partials(in: folder).isEmpty }
                }
            }
        }

        @Test("begin at the first byte if the content has changed")
        func changed() async throws {
            let (old, new) = ([UInt8].noise(1 << 20, seed: 1), [UInt8].noise((1 << 20) + 1, seed: 2))
            let folder = try TemporaryFolder()
            let count = Mutex(0)
            let answer: @Sendable (ScriptedConnection) throws -> Void = { connection in
                try connection.readRequest()
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number == 1 {
                    try Self.send(old.prefix(700_000), of: 0..<old.count, old.count, over: connection)
                } else {
                    try Self.send(new, of: 0..<new.count, new.count, tag: "v2", over: connection)
                }
            }
            try await withUpstream(answer) { server in
                try await withGateway(settings(server, attempts: 3), in: folder) { gateway in
                    let client = try gateway.client()
                    let done = try await client.run(Self.document)
                    #expect(done.state == "succeeded")
                    #expect(try await client.get("/v1/tasks/\(done.id)/body").body == new)
                    let asked = server.requests.events.map { [$0["Range"], $0["If-Range"]] }
                    #expect(asked == [[nil, nil], ["bytes=700000-", "\"v1\""]])
                    #expect(Self.partials(in: folder).isEmpty)
                }
            }
        }

        @Test("keep the type of the first response if the answer to If-Range does not state it again")
        func type() async throws {
            let content = [UInt8].noise(1 << 20, seed: 5)
            let answer: @Sendable (ScriptedConnection) throws -> Void = { connection in
                let request = try connection.readRequest()
                guard let range = request.byteRange(of: content.count) else {
                    return try Self.send(
                        content.prefix(500_000), of: 0..<content.count, content.count, over: connection)
                }
                try connection.send(
                    "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Length: \(range.count)\r\n"
                        + "Content-Range: bytes \(range.lowerBound)-\(content.count - 1)/\(content.count)\r\n\r\n")
                try connection.send(Array(content[range]))
            }
            try await withUpstream(answer) { server in
                var settings = settings(server)
                settings.session.append("response: { acceptable_content_types: [application/octet-stream] }")
                let folder = try TemporaryFolder()
                let id = try await withGateway(settings, in: folder) { gateway in
                    try await gateway.client().run(Self.document).id
                }
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let again = try TaskView(await client.post("/v1/tasks/\(id)/retry"), expecting: [201, 202])
                    #expect(try await client.finished(again).state == "succeeded")
                    let body = try await client.get("/v1/tasks/\(again.id)/body")
                    #expect(body["Content-Type"] == "application/octet-stream")
                    #expect(body.body == content)
                }
            }
        }

        @Test("are whole if the server says that nothing is left", arguments: ["200-299", "200-499"])
        func nothingLeft(statuses: String) async throws {
            let content = [UInt8].noise(1 << 20, seed: 3)
            let count = Mutex(0)
            let answer: @Sendable (ScriptedConnection) throws -> Void = { connection in
                let request = try connection.readRequest()
                guard request["Range"] != nil else {
                    // All bytes, but not the end of the last chunk.
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Type: text/csv\r\n"
                            + "Transfer-Encoding: chunked\r\n\r\n"
                            + "\(String(content.count, radix: 16))\r\n")
                    return try connection.send(content)
                }
                count.withLock { $0 += 1 }
                try connection.send(
                    "HTTP/1.1 416 Range Not Satisfiable\r\nETag: \"v1\"\r\nContent-Length: 2\r\n"
                        + "Content-Type: text/html\r\n"
                        + "Content-Range: bytes */\(content.count)\r\n\r\nno")
            }
            let folder = try TemporaryFolder()
            try await withUpstream(answer) { server in
                var settings = settings(server, attempts: 2)
                settings.session.append("response: { acceptable_statuses: [\(statuses)] }")
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let done = try await client.run(Self.document)
                    #expect(done.state == "succeeded", "\(done)")
                    let body = try await client.get("/v1/tasks/\(done.id)/body")
                    #expect(body.body == content)
                    #expect(body["Content-Type"] == "text/csv")
                    #expect(count.withLock { $0 } == 1)
                    #expect(Self.partials(in: folder).isEmpty)
                }
            }
        }

        @Test("can be followed from the first byte, also while a later attempt continues them")
        func followed() async throws {
            let content = [UInt8].noise(2 << 20, seed: 4)
            let more = Gate()
            let answer: @Sendable (ScriptedConnection) throws -> Void = { connection in
                let request = try connection.readRequest()
                guard let range = request.byteRange(of: content.count) else {
                    return try Self.send(
                        content.prefix(1 << 20), of: 0..<content.count, content.count, over: connection)
                }
                try Self.send(
                    content[range.lowerBound..<(range.lowerBound + 1000)], of: range, content.count,
                    over: connection)
                more.wait()
                try connection.send(Array(content[(range.lowerBound + 1000)...]))
            }
            try await withUpstream(answer) { server in
                try await withGateway(settings(server, attempts: 2)) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(Self.document)
                    _ = await server.requests.first(2)
                    let following = Task {
                        try await gateway.client().get("/v1/tasks/\(task.id)/body?follow=true")
                    }
                    try await until {
                        try await client.task(task.id).progress.download.completed == (1 << 20) + 1000
                    }
                    more.open()
                    #expect(try await client.finished(task).state == "succeeded")
                    #expect(try await following.value.body == content)
                }
            }
        }

        @Test("keep small content in memory, without a partial file")
        func small() async throws {
            let upstream = RangedUpstream(1000)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server), in: folder) { gateway in
                    let client = try gateway.client()
                    let done = try await client.run(Self.document)
                    #expect(done.state == "succeeded")
                    #expect(try await client.get("/v1/tasks/\(done.id)/body").body == upstream.content)
                    #expect(server.requests.events.map { $0["Accept-Encoding"] } == ["identity"])
                    let path = folder["data/bodies/.downloads.part"]
                    #expect(!FileManager.default.fileExists(atPath: path))
                }
            }
        }
    }
}
