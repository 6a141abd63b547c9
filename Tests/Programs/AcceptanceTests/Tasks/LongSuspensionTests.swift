import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Suspension beyond the life of a connection or a process")
    struct LongSuspensionTests {
        /// Sends the beginning of a response, and waits until the client disconnects.
        private static func hang(_ connection: ScriptedConnection) throws {
            try connection.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{")
            connection.waitForClose()
        }

        private static func answer(_ connection: ScriptedConnection) throws {
            try connection.respond("200 OK", ["Content-Type: application/json"], body: "{}")
        }

        /// Hangs on the first connection, and answers on the others.
        @Sendable private static func hangingFirst(_ connection: ScriptedConnection) throws {
            while true {
                try connection.readRequest()
                if connection.number == 0 { return try hang(connection) }
                try answer(connection)
            }
        }

        private func settings(_ upstream: ScriptedServer) -> GatewaySettings {
            var settings = GatewaySettings(upstream: upstream.origin)
            settings.session = ["limits: { concurrent: 1 }", "timeouts: { suspended_keep: 200ms }"]
            return settings
        }

        @Test("A long suspended task releases its connection and its slot, and is sent again when it is resumed")
        func suspendedForLong() async throws {
            try await withUpstream(Self.hangingFirst) { upstream in
                try await withGateway(settings(upstream)) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(#"{"session":"up","path":"long"}"#)
                    _ = await upstream.requests.first(1)
                    #expect(try await client.suspend(task).state == "suspended")
                    #expect(await upstream.ended.first(1) == [0])
                    // The only slot is free.
                    let other = try await client.run(#"{"session":"up","path":"other"}"#)
                    #expect(other.state == "succeeded")
                    // Its slot is given back before its attempt is stored.
                    let waiting = try await client.attempted(client.task(task.id))
                    #expect(waiting.state == "suspended")
                    #expect(waiting.attempts.map(\.error?.code) == ["connection_lost"])
                    let finished = try await client.finished(client.resume(task))
                    #expect(finished.state == "succeeded")
                    #expect(finished.attempts.map(\.number) == [1, 2])
                    #expect(finished.attempts.map(\.error?.code) == ["connection_lost", nil])
                    #expect(
                        upstream.requests.events.map(\.line)
                            == ["long", "other", "long"].map { "GET /\($0) HTTP/1.1" })
                }
            }
        }

        @Test(
            "A long suspended download keeps what it has received, and requests the rest when it is resumed",
            arguments: ["", #","download":{"destination":"a.bin"}"#])
        func suspendedDownload(destination: String) async throws {
            let content = [UInt8].noise(3 << 20, seed: 11)
            let half = content.count / 2
            try await withUpstream({ connection in
                let asked = try connection.readRequest().byteRange(of: content.count)
                let range = asked ?? 0..<content.count
                let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"
                let head =
                    asked == nil
                    ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 206 Partial Content\r\nContent-Range: \(place)\r\n"
                try connection.send("\(head)ETag: \"v1\"\r\nContent-Length: \(range.count)\r\n\r\n")
                try connection.send(Array(asked == nil ? content[..<half] : content[range]))
                if asked == nil { connection.waitForClose() }
            }) { upstream in
                try await withGateway(settings(upstream)) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(
                        #"{"session":"up","kind":"download","path":"long"\#(destination)}"#)
                    try await until { try await client.task(task.id).progress.download.completed >= half }
                    #expect(try await client.suspend(task).state == "suspended")
                    #expect(await upstream.ended.first(1) == [0])
                    let waiting = try await client.attempted(client.task(task.id))
                    #expect(waiting.state == "suspended")
                    #expect(waiting.resume == TaskView.Resume(available: true, bytes: half))
                    let finished = try await client.finished(client.resume(task))
                    #expect(finished.state == "succeeded")
                    #expect(upstream.requests.events.map { $0["Range"] } == [nil, "bytes=\(half)-"])
                    #expect((finished.response?.file?.size ?? finished.response?.body?.size) == content.count)
                    if finished.response?.file == nil {
                        #expect(try await client.get("/v1/tasks/\(task.id)/body").body == content)
                    }
                }
            }
        }

        @Test("A POST that may have arrived is not repeated: suspended for long, it fails with that reason")
        func suspendedPost() async throws {
            try await withUpstream(Self.hangingFirst) { upstream in
                try await withGateway(settings(upstream)) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(#"{"session":"up","method":"POST"}"#)
                    _ = await upstream.requests.first(1)
                    try await client.suspend(task)
                    let failed = try await client.finished(task)
                    #expect(failed.state == "failed")
                    #expect(failed.error?.code == "connection_lost")
                    #expect(failed.error?.mayHaveArrived == true)
                    #expect(await upstream.ended.first(1) == [0])
                    #expect(try await client.run(#"{"session":"up"}"#).state == "succeeded")
                    #expect(upstream.requests.events.count == 2)
                }
            }
        }

        // MARK: After a crash

        @Test("After a kill, a suspended GET is sent when it is resumed, a POST has failed and is not repeated")
        func killed() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream({ connection in
                try connection.readRequest()
                if connection.number < 2 { return try Self.hang(connection) }
                try Self.answer(connection)
            }) { upstream in
                let settings = GatewaySettings(upstream: upstream.origin, attempts: nil)
                let gateway = try await GatewayProcess(settings, in: folder)
                let client = try gateway.client()
                let get = try await client.create(#"{"session":"up","path":"get"}"#)
                let post = try await client.create(#"{"session":"up","path":"post","method":"POST"}"#)
                let idle = try await client.create(#"{"session":"up","path":"idle","start":"suspended"}"#)
                _ = await upstream.requests.first(2)
                for task in [get, post] { #expect(try await client.suspend(task).state == "suspended") }
                await gateway.kill()

                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let lost = try await client.task(post.id)
                    #expect(lost.state == "failed")
                    #expect(lost.error?.code == "interrupted")
                    #expect(lost.error?.mayHaveArrived == true)
                    let kept = try await client.task(get.id)
                    #expect(kept.state == "suspended")
                    #expect(kept.attempts.map(\.error?.code) == ["interrupted"])
                    #expect(try await client.task(idle.id).state == "suspended")
                    #expect(upstream.requests.events.count == 2)

                    let finished = try await client.finished(client.resume(get))
                    #expect(finished.state == "succeeded")
                    #expect(finished.attempts.map(\.number) == [1, 2])
                    #expect(try await client.finished(client.resume(idle)).state == "succeeded")
                    let lines = upstream.requests.events.map(\.line)
                    #expect(lines.filter { $0.hasPrefix("POST") }.count == 1)
                    #expect(lines.filter { $0.contains("/get ") }.count == 2)
                    #expect(lines.filter { $0.contains("/idle ") }.count == 1)
                }
            }
        }
    }
}
