import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Event streams")
    struct EventTests {
        private func withTasks(_ body: (GatewayProcess) async throws -> Void) async throws {
            try await withEcho { echo in
                try await withGateway(GatewaySettings(upstream: echo.origin)) { gateway in try await body(gateway) }
            }
        }

        @Test("A stream has the events of a task from the first to the last, with the whole task, and then ends")
        func wholeLife() async throws {
            try await withTasks { gateway in
                let client = try gateway.client()
                let task = try await client.create(#"{"session":"up","path":"anything","start":"suspended"}"#)
                let stream = try await EventStreamClient(gateway, "/v1/tasks/\(task.id)/events")
                #expect(stream.status == 200)
                #expect(stream.head.contains("text/event-stream"))
                #expect(try await stream.next().name == "task.suspended")
                #expect(try await client.post("/v1/tasks/\(task.id)/resume").status == 200)
                let events = try await stream.through("task.succeeded").filter { $0.name != "task.progress" }
                #expect(events.map(\.name) == ["task.queued", "task.running", "task.attempt", "task.succeeded"])
                let ids = events.compactMap(\.id)
                #expect(ids.count == 4 && ids == Set(ids).sorted())
                let last = try #require(events.last)
                #expect(last.data["task_document"]?["id"]?.string == task.id)
                #expect(last.data["task_document"]?["response"]?["status"] == 200)
                #expect(try await stream.end().isEmpty)
                // An `EventSource` reconnects after the end, and gets 204 to stop.
                let again = try await client.get("/v1/tasks/\(task.id)/events", "Last-Event-ID: \(last.id ?? 0)")
                #expect(again.status == 204)
                #expect(try await client.get("/healthz").status == 200, "the connection is as good as before")
            }
        }

        @Test("A reconnecting client gets the missed events, even after kill -9")
        func replay() async throws {
            let folder = try TemporaryFolder()
            try await withEcho { echo in
                let settings = GatewaySettings(upstream: echo.origin)
                let first = try await GatewayProcess(settings, in: folder)
                let task = try await first.client().run(#"{"session":"up","path":"anything"}"#)
                let before = try await EventStreamClient(first, "/v1/events", "Last-Event-ID: 0")
                    .through("task.succeeded")
                await first.kill()
                try await withGateway(settings, in: folder) { gateway in
                    let all = try await EventStreamClient(gateway, "/v1/events", "Last-Event-ID: 0")
                    let after = try await all.through("task.succeeded")
                    #expect(after.map(\.id) == before.map(\.id))
                    #expect(after.map(\.text) == before.map(\.text))
                    let missed = try await EventStreamClient(
                        gateway, "/v1/tasks/\(task.id)/events", "Last-Event-ID: \(before[0].id ?? 0)")
                    #expect(try await missed.through("task.succeeded").map(\.id) == before.dropFirst().map(\.id))
                    // Event ids continue.
                    _ = try await gateway.client().create(#"{"session":"up","start":"suspended"}"#)
                    let next = try await all.next()
                    #expect(next.name == "task.suspended")
                    #expect((next.id ?? 0) > (before.last?.id ?? 0))
                }
            }
        }

        @Test("While a task runs, its progress has no id")
        func progress() async throws {
            let gate = Gate()
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\n[1")
                gate.wait()
                try connection.send("2]")
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    let task = try await gateway.client().create(#"{"session":"up"}"#)
                    let stream = try await EventStreamClient(gateway, "/v1/tasks/\(task.id)/events")
                    let first = try await stream.next()
                    #expect(first.name == "task.running")
                    // The first may tell of the request alone: the response's head comes when the upstream has sent it.
                    var progress: EventStreamClient.Event
                    repeat {
                        progress = try await stream.next()
                        #expect(progress.name == "task.progress")
                        #expect(progress.id == nil)
                    } while progress.name == "task.progress" && progress.data["progress"]?["download"]?["total"] != 4
                    #expect(progress.data["progress"]?["download"]?["total"] == 4)
                    gate.open()
                    #expect(try await stream.through("task.succeeded").last?.data["state"]?.string == "succeeded")
                }
            }
        }

        @Test("Many clients get the same events in the same order, whatever they watch")
        func many() async throws {
            try await withTasks { gateway in
                let client = try gateway.client()
                var streams: [EventStreamClient] = []
                for _ in 0..<50 { streams.append(try await EventStreamClient(gateway, "/v1/events?kind=data")) }
                for stream in streams { #expect(try await stream.next().name == "tasks") }
                for _ in 0..<10 { _ = try await client.create(#"{"session":"up","path":"anything"}"#) }
                var seen: Set<[Int64]> = []
                for stream in streams {
                    var ids: [Int64] = []
                    var ended = 0
                    while ended < 10 {
                        let event = try await stream.next()
                        guard event.name != "task.progress" else { continue }
                        ids.append(try #require(event.id))
                        if event.name == "task.succeeded" { ended += 1 }
                    }
                    #expect(ids == Set(ids).sorted())
                    seen.insert(ids)
                }
                #expect(seen.count == 1)
            }
        }

        @Test("A stopping gateway ends the stream regularly")
        func stopping() async throws {
            let gateway = try await GatewayProcess(GatewaySettings(), in: try TemporaryFolder())
            let stream = try await EventStreamClient(gateway, "/v1/events")
            #expect(try await stream.next().name == "tasks")
            let exit = await gateway.stop()
            #expect(exit == .status(0))
            #expect(try await stream.end().isEmpty)
        }
    }
}
