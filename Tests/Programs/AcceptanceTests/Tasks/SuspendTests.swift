import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Suspend and resume")
    struct SuspendTests {
        private static let json = ["Content-Type: application/json"]

        // MARK: Running

        @Test("A request without effect makes no revision; one that comes too late is refused")
        func sameState() async throws {
            let gate = Gate()
            try await withUpstream({ connection in
                try connection.readRequest()
                gate.wait()
                try connection.respond("200 OK", Self.json, body: "{}")
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(#"{"session":"up"}"#)
                    _ = await upstream.requests.first(1)
                    let running = try await client.resume(task)
                    #expect(running.state == "running")
                    #expect(try await client.resume(task).revision == running.revision)
                    gate.open()
                    let finished = try await client.finished(running)
                    for call in ["suspend", "resume"] {
                        let problem = try ProblemView(await client.post("/v1/tasks/\(task.id)/\(call)"))
                        #expect(problem.status == 409)
                        #expect(problem.type == "/problems/wrong-state")
                        #expect(problem.detail?.hasPrefix("the task already succeeded; only a task that ") == true)
                    }
                    #expect(try await client.task(task.id).revision == finished.revision)
                    let unknown = "01a1fc90-912e-7056-b47a-be14b2548d65"
                    #expect(try await client.post("/v1/tasks/\(unknown)/suspend").status == 404)
                }
            }
        }

        @Test("A suspended task is canceled like a running one: its connection is closed first")
        func canceled() async throws {
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{")
                connection.waitForClose()
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(#"{"session":"raw"}"#)
                    _ = await upstream.requests.first(1)
                    try await client.suspend(task)
                    let canceled = try TaskView(await client.post("/v1/tasks/\(task.id)/cancel"))
                    #expect(canceled.state == "canceled")
                    #expect(canceled.attempts.map(\.error?.code) == ["canceled"])
                    #expect(await upstream.ended.first(1) == [0])
                    #expect(try await client.post("/v1/tasks/\(task.id)/resume").status == 409)
                }
            }
        }

        // MARK: Waiting

        @Test("A task created suspended is sent once, when it is resumed")
        func createdSuspended() async throws {
            try await withUpstream(ScriptedServer.accepting) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(#"{"session":"up","path":"late","start":"suspended"}"#)
                    #expect(task.state == "suspended")
                    #expect(task.attempts.isEmpty)
                    // A later task has already finished.
                    #expect(try await client.run(#"{"session":"up","path":"other"}"#).state == "succeeded")
                    #expect(upstream.requests.events.map(\.line) == ["GET /other HTTP/1.1"])
                    #expect(try await client.finished(client.resume(task)).state == "succeeded")
                    #expect(
                        upstream.requests.events.map(\.line) == ["GET /other HTTP/1.1", "GET /late HTTP/1.1"])
                }
            }
        }

        @Test("A suspended queued task is skipped, and runs exactly once when it is resumed")
        func queued() async throws {
            let gate = Gate()
            try await withUpstream({ connection in
                while true {
                    if try connection.readRequest().line.contains("/first ") { gate.wait() }
                    try connection.respond("200 OK", Self.json, body: "{}")
                }
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.session = ["limits: { concurrent: 1 }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let first = try await client.create(#"{"session":"up","path":"first"}"#)
                    _ = await upstream.requests.first(1)
                    let second = try await client.create(#"{"session":"up","path":"second"}"#)
                    let third = try await client.create(#"{"session":"up","path":"third"}"#)
                    #expect(try await client.task(second.id).hold == "concurrency")
                    // Repeatedly, so that it leaves and enters the queue more than once.
                    for _ in 0..<3 {
                        #expect(try await client.suspend(second).state == "suspended")
                        #expect(try await client.resume(second).state == "queued")
                    }
                    #expect(try await client.suspend(second).state == "suspended")
                    #expect(try await client.task(second.id).hold == nil)
                    gate.open()
                    #expect(try await client.finished(first).state == "succeeded")
                    #expect(try await client.finished(third).state == "succeeded")
                    #expect(try await client.task(second.id).attempts.isEmpty)
                    #expect(try await client.finished(client.resume(second)).state == "succeeded")
                    _ = try await client.run(#"{"session":"up","path":"last"}"#)
                    #expect(
                        upstream.requests.events.map(\.line)
                            == ["first", "third", "second", "last"].map { "GET /\($0) HTTP/1.1" })
                }
            }
        }
    }
}
