import ErrandCryptography
import ErrandSupport
import ErrandText
import Testing

extension Acceptance {
    @Suite("The content of a response")
    struct BodyTests {
        private static let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

        /// Runs a gateway in which a task has received ``content``.
        private func withContent(
            inline: String, in folder: TemporaryFolder? = nil,
            _ body: (APIClient, TaskView) async throws -> Void
        ) async throws {
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(Self.content.count)\r\n\r\n")
                try connection.send(Self.content)
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.store.append("inline_body: \(inline)")
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let task = try await client.run(#"{"session":"raw"}"#)
                    #expect(task.state == "succeeded")
                    try await body(client, task)
                }
            }
        }

        @Test("Content is served whole, in parts and by tag, from a file or the store", arguments: ["1KiB", "1MiB"])
        func ranges(inline: String) async throws {
            try await withContent(inline: inline) { client, task in
                let path = "/v1/tasks/\(task.id)/body"
                let whole = try await client.get(path)
                #expect(whole.status == 200)
                #expect(whole.body == Self.content)
                let tag = "\"sha256-\(Hexadecimal.encode(SHA256.hash(Self.content)))\""
                #expect(whole["ETag"] == tag)
                #expect(whole["Accept-Ranges"] == "bytes")
                #expect(whole["Content-Type"] == "text/html")
                #expect(whole["X-Content-Type-Options"] == "nosniff")
                #expect(whole["Content-Security-Policy"] == "sandbox; default-src 'none'")
                #expect(whole["Content-Disposition"] == "attachment")

                for (range, expected) in [
                    ("bytes=0-0", 0..<1), ("bytes=10-99", 10..<100), ("bytes=99990-", 99_990..<100_000),
                    ("bytes=-10", 99_990..<100_000), ("bytes=99999-200000", 99_999..<100_000),
                    ("bytes=-200000", 0..<100_000),
                ] {
                    let part = try await client.get(path, "Range: \(range)")
                    #expect(part.status == 206, "\(range)")
                    #expect(part.body == Array(Self.content[expected]), "\(range)")
                    #expect(
                        part["Content-Range"] == "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/100000",
                        "\(range)")
                }
                for range in ["bytes=100000-", "bytes=-0"] {
                    let behind = try await client.get(path, "Range: \(range)")
                    #expect(try ProblemView(behind).status == 416, "\(range)")
                    #expect(behind["Content-Range"] == "bytes */100000", "\(range)")
                }
                // Malformed ranges are ignored (RFC 9110 §14.2).
                for range in ["bytes=9-1", "pages=1-2", "bytes=a-b"] {
                    #expect(try await client.get(path, "Range: \(range)").status == 200, "\(range)")
                }
                #expect(try await client.get(path, "Range: bytes=0-0", "If-Range: \(tag)").status == 206)
                #expect(try await client.get(path, "Range: bytes=0-0", "If-Range: \"other\"").status == 200)
                #expect(try await client.get(path, "Range: bytes=0-0", "If-Range: W/\(tag)").status == 200)
                #expect(try await client.get(path, "If-None-Match: \(tag)").status == 304)
                #expect(try await client.get(path, "If-None-Match: \"other\"").status == 200)
                // Only GET has ranges.
                for range in [[], ["Range: bytes=0-9"], ["Range: bytes=100000-"]] {
                    let head = try await client.send("HEAD", path, range)
                    #expect(head.status == 200, "\(range)")
                    #expect(head["Content-Length"] == "100000", "\(range)")
                }
            }
        }

        @Test("It is unavailable before the end of the task, and deleted with it")
        func beforeAndAfter() async throws {
            let folder = try TemporaryFolder()
            try await withContent(inline: "1KiB", in: folder) { client, task in
                #expect(try folder.files(below: "data").count == 1)
                let deleted = try await client.send("DELETE", "/v1/tasks/\(task.id)")
                #expect(deleted.status == 204)
                #expect(try folder.files(below: "data").isEmpty)
                for path in ["/v1/tasks/\(task.id)", "/v1/tasks/\(task.id)/body"] {
                    #expect(try ProblemView(await client.get(path)).status == 404)
                }
                #expect(try ProblemView(await client.send("DELETE", "/v1/tasks/\(task.id)")).status == 404)
                #expect(try ProblemView(await client.post("/v1/tasks/\(task.id)/cancel")).status == 404)
                #expect(try await client.list().tasks.isEmpty)
            }
        }

        @Test("A running task is canceled before its deletion: its connection is closed and no file is left")
        func deleteRunning() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
                try connection.send([UInt8](repeating: 1, count: 500_000))
                connection.waitForClose()
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin), in: folder) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(#"{"session":"raw"}"#)
                    _ = await upstream.requests.first(1)
                    let early = try ProblemView(await client.get("/v1/tasks/\(task.id)/body"))
                    #expect(early.status == 409)
                    #expect(try await client.send("DELETE", "/v1/tasks/\(task.id)").status == 204)
                    #expect(await upstream.ended.first(1) == [0])
                    #expect(try await client.get("/v1/tasks/\(task.id)").status == 404)
                    #expect(try folder.files(below: "data").isEmpty)
                }
            }
        }

        @Test("Content above the session's limit fails the task and leaves no file")
        func overLimit() async throws {
            let folder = try TemporaryFolder()
            try await withEcho { echo in
                let settings = GatewaySettings(upstream: echo.origin, maxBody: "1MiB")
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    for path in ["bytes/1048577", "drip?bytes=2000000&duration=0", "stream/100000"] {
                        let task = try await client.run(#"{"session":"raw","path":"\#(path)"}"#)
                        #expect(task.error?.code == "body_too_large", "\(path): \(task)")
                    }
                    let exact = try await client.run(#"{"session":"raw","path":"bytes/1048576"}"#)
                    #expect(exact.state == "succeeded")
                    #expect(try folder.files(below: "data").count == 1)
                }
            }
        }
    }
}
