import ErrandSupport
import Testing

extension Acceptance {
    /// A disk of 192 MiB that fills up while content is on its way.
    @Suite("A disk that fills during a transfer", .enabled(if: NameServer.isPossible, "needs the right to mount"))
    struct FillingDiskTests {
        private static let content: [UInt8] = .noise(6 << 20, seed: 3)

        /// Sends the content; on the first connection, the second half after the gate has opened.
        ///
        /// - Parameter isAnnounced: False if the first response does not announce its length, so that no space can be
        ///   reserved for it.
        private static func answer(_ connection: ScriptedConnection, half gate: Gate, isAnnounced: Bool) throws {
            while true {
                let asked = try connection.readRequest().byteRange(of: content.count)
                let range = asked ?? 0..<content.count
                var fields = ["ETag: \"v1\"", "Content-Type: application/octet-stream"]
                if asked != nil {
                    fields.append("Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)")
                }
                let ends = connection.number == 0 && !isAnnounced
                fields.append(ends ? "Connection: close" : "Content-Length: \(range.count)")
                let status = asked == nil ? "200 OK" : "206 Partial Content"
                try connection.send("HTTP/1.1 \(status)\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n")
                var rest = content[range]
                if connection.number == 0 {
                    let half = content.count / 2
                    try connection.send(Array(rest.prefix(half)))
                    rest = rest.dropFirst(half)
                    gate.wait()
                }
                try connection.send(Array(rest))
                if ends { return }
            }
        }

        /// Runs a gateway whose disk, at `path` in its folder, the test fills, and an upstream with the content.
        ///
        /// - Parameters:
        ///   - downloads: The folder of downloads in that of the gateway.
        ///   - isAnnounced: True if the first response announces its length.
        private func withDisk(
            at path: String, downloads: String, isAnnounced: Bool = false,
            _ body: (GatewayProcess, APIClient, SmallDisk, ScriptedServer, Gate) async throws -> Void
        ) async throws {
            let (folder, gate) = (try TemporaryFolder(), Gate())
            try folder.makeFolder(path)
            try await withUpstream({ try Self.answer($0, half: gate, isAnnounced: isAnnounced) }) { upstream in
                defer { gate.open() }
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.attempts = nil
                settings.state = "state"
                settings.files = ["downloads: \(folder[downloads])"]
                let retry = "retry: { max_attempts: 2, backoff: { initial: 1ms, jitter: 0 } }"
                let response = "response: { serializer: raw }"
                settings.sessions = ["file: { base_url: '\(upstream.origin)/', \(response), \(retry) }"]
                let disk = try await SmallDisk(at: folder[path], mebibytes: 192)
                try await withGateway(settings, in: folder, launcher: disk.launcher) { gateway in
                    try await body(gateway, gateway.client(), disk, upstream, gate)
                }
            }
        }

        /// Creates a task, and returns it when a part of the response is received.
        private func begin(_ json: String, _ client: APIClient) async throws -> TaskView {
            let task = try await client.create(json)
            try await until { try await client.task(task.id).progress.download.completed > 1 << 20 }
            return task
        }

        @Test(
            "A response, whether a body or a file, is received again when there is room",
            arguments: [
                #"{"session":"file","path":"data"}"#, #"{"session":"file","path":"data","kind":"download"}"#,
                #"{"session":"file","path":"data","kind":"download","download":{"destination":"a.bin"}}"#,
            ])
        func response(json: String) async throws {
            try await withDisk(at: "state", downloads: "state/downloads") { gateway, client, disk, upstream, gate in
                let task = try await begin(json, client)
                try disk.fill()
                gate.open()
                try await until { try await client.task(task.id).hold == "disk_full" }
                #expect(try await client.task(task.id).attempts.map { $0.error?.code } == ["disk_full"])
                #expect(try await client.get("/healthz").status == 200)
                disk.makeRoom()
                let done = try await client.finished(task)
                #expect(done.state == "succeeded")
                if let file = done.response?.file {
                    #expect(disk.contents(of: "downloads/\(file.path)") == Self.content)
                } else {
                    #expect(try await client.get("/v1/tasks/\(task.id)/body").body == Self.content)
                }
                #expect(upstream.requests.events.count == 2)
            }
        }

        @Test("A download whose own disk fills keeps what it has, and a retry requests the rest when there is room")
        func download() async throws {
            try await withDisk(at: "downloads", downloads: "downloads") { gateway, client, disk, upstream, gate in
                let task = try await begin(
                    #"{"session":"file","path":"data","kind":"download","download":{"destination":"a.bin"}}"#, client)
                try disk.fill()
                gate.open()
                let failed = try await client.finished(task)
                #expect(failed.error?.code == "disk_full")
                #expect(failed.response?.file == nil)
                let kept = try #require(failed.resume)
                #expect(kept.available && kept.bytes > 0)
                disk.makeRoom()
                let again = try TaskView(await client.post("/v1/tasks/\(task.id)/retry"), expecting: [201, 202])
                let done = try await client.finished(again)
                #expect(done.state == "succeeded")
                #expect(done.response?.file == TaskView.File(path: "a.bin", size: Self.content.count))
                #expect(disk.contents(of: "a.bin") == Self.content)
                #expect(upstream.requests.events.last?["Range"] == "bytes=\(kept.bytes)-")
            }
        }

        @Test("A download whose length is announced has its space from its beginning, and succeeds on a full disk")
        func reserved() async throws {
            try await withDisk(at: "downloads", downloads: "downloads", isAnnounced: true) {
                gateway, client, disk, upstream, gate in
                let task = try await begin(
                    #"{"session":"file","path":"data","kind":"download","download":{"destination":"a.bin"}}"#, client)
                try disk.fill()
                gate.open()
                let done = try await client.finished(task)
                #expect(done.state == "succeeded", "\(String(describing: done.error))")
                #expect(disk.contents(of: "a.bin") == Self.content)
                #expect(upstream.requests.events.count == 1)
            }
        }

        @Test("Content that is sent for an upload is refused with the reason, and is accepted when there is room")
        func upload() async throws {
            try await withDisk(at: "state", downloads: "downloads") { gateway, client, disk, upstream, gate in
                gate.open()
                let task = try await client.create(
                    #"{"session":"file","kind":"upload","path":"in","body":{"content":"later"}}"#)
                let sender = try gateway.client().connection
                let half = Self.content.count / 2
                try await sender.send(
                    "PUT /v1/tasks/\(task.id)/content HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                        + "Content-Length: \(Self.content.count)\r\n\r\n")
                try await sender.send(Array(Self.content[..<half]))
                try await until { try disk.files(below: "data/contents") == 1 }
                try disk.fill()
                try await sender.send(Array(Self.content[half...]))
                let refused = try ProblemView(await sender.response())
                #expect(refused.status == 503)
                #expect(refused.detail?.contains("was removed: The disk") == true, "\(refused)")
                #expect(try disk.files(below: "data/contents") == 0)
                let waiting = try await client.task(task.id)
                #expect((waiting.state, waiting.hold) == ("scheduled", "content"))
                disk.makeRoom()
                // The store looks once a second whether there is room again.
                try await until { try await gateway.client().put(Self.content, to: task).status == 204 }
                #expect(try await client.finished(task).state == "succeeded")
                #expect(upstream.requests.events.map(\.body) == [Self.content])
            }
        }
    }
}
