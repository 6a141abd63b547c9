import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Session operations")
    struct SessionOperationTests {
        private static let json = ["Content-Type: application/json"]

        // MARK: Suspend

        @Test("A suspended session sends nothing, even after kill -9, and everything queued when it is resumed")
        func suspendSurvives() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(ScriptedServer.accepting) { upstream in
                let settings = GatewaySettings(upstream: upstream.origin)
                let gateway = try await GatewayProcess(settings, in: folder)
                let client = try gateway.client()
                #expect(try await client.session("up").state == "open")
                let suspended = try await client.suspendSession("up")
                #expect(suspended.state == "suspended")
                #expect(suspended.acceptsTasks)
                let task = try await client.create(#"{"session":"up","path":"held"}"#)
                #expect(task.state == "queued")
                #expect(try await client.task(task.id).hold == "session_suspended")
                // Other sessions are unaffected.
                #expect(try await client.run(#"{"session":"raw","path":"free"}"#).state == "succeeded")
                await gateway.kill()

                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    #expect(try await client.session("up").state == "suspended")
                    let kept = try await client.task(task.id)
                    #expect(kept.state == "queued")
                    #expect(kept.hold == "session_suspended")
                    #expect(try await client.run(#"{"session":"raw","path":"free"}"#).state == "succeeded")
                    #expect(upstream.requests.events.allSatisfy { $0.line.contains("/free ") })
                    #expect(try await client.resumeSession("up").state == "open")
                    let finished = try await client.finished(kept)
                    #expect(finished.state == "succeeded")
                    #expect(finished.hold == nil)
                    #expect(finished.attempts.count == 1)
                }
            }
        }

        @Test("A suspended session lets running tasks continue")
        func suspendWhileRunning() async throws {
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
                    #expect(try await client.suspendSession("up").inFlight == 1)
                    gate.open()
                    #expect(try await client.finished(task).state == "succeeded")
                }
            }
        }

        // MARK: Purge

        @Test("Purging cancels waiting tasks, and keeps running ones")
        func purge() async throws {
            let gate = Gate()
            try await withUpstream({ connection in
                try connection.readRequest()
                gate.wait()
                try connection.respond("200 OK", Self.json, body: "{}")
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.session = ["limits: { concurrent: 1 }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let running = try await client.create(#"{"session":"up"}"#)
                    _ = await upstream.requests.first(1)
                    var waiting: [TaskView] = []
                    for start in ["now", "now", "suspended"] {
                        waiting.append(try await client.create(#"{"session":"up","start":"\#(start)"}"#))
                    }
                    let stranger = try await client.create(#"{"session":"raw","start":"suspended"}"#)
                    let response = try await client.purge("up")
                    #expect(response.canceled == 3)
                    #expect(response.session.inFlight == 1)
                    for task in waiting {
                        let canceled = try await client.task(task.id)
                        #expect(canceled.state == "canceled")
                        #expect(canceled.error?.code == "canceled")
                    }
                    #expect(try await client.task(stranger.id).state == "suspended")
                    #expect(try await client.purge("up").canceled == 0)
                    gate.open()
                    #expect(try await client.finished(running).state == "succeeded")
                    #expect(upstream.requests.events.count == 1)
                }
            }
        }

        // MARK: Invalidate

        @Test("A reset starts afresh: with a new connection, and without the former cookies")
        func reset() async throws {
            try await withUpstream({ connection in
                while true {
                    try connection.readRequest()
                    try connection.respond("200 OK", Self.json + ["Set-Cookie: visited=yes"], body: "{}")
                }
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    let client = try gateway.client()
                    for _ in 0..<2 { _ = try await client.run(#"{"session":"up"}"#) }
                    let response = try await client.invalidate("up", #"{"reset":true}"#)
                    #expect(response.canceled == 0)
                    #expect(response.session.state == "open")
                    // The former connection is no longer used.
                    #expect(await upstream.ended.first(1) == [0])
                    for _ in 0..<2 { _ = try await client.run(#"{"session":"up"}"#) }
                    let requests = upstream.requests.events
                    #expect(requests.map(\.connection) == [0, 0, 1, 1])
                    #expect(requests.map { $0["Cookie"] } == [nil, "visited=yes", nil, "visited=yes"])
                }
            }
        }

        @Test("An invalidated session finishes its tasks, accepts no more, and opens again with a reset")
        func close() async throws {
            let folder = try TemporaryFolder()
            let gate = Gate()
            try await withUpstream({ connection in
                while true {
                    if try connection.readRequest().line.contains("/held ") { gate.wait() }
                    try connection.respond("200 OK", Self.json, body: "{}")
                }
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.session = ["limits: { concurrent: 1 }"]
                let queued = try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let running = try await client.create(#"{"session":"up","path":"held"}"#)
                    _ = await upstream.requests.first(1)
                    let queued = try await client.create(#"{"session":"up","path":"queued"}"#)
                    let response = try await client.invalidate("up")
                    #expect(response.canceled == 0)
                    #expect(response.session.state == "draining")
                    #expect(!response.session.acceptsTasks)
                    try await expectClosed(client)
                    gate.open()
                    #expect(try await client.finished(running).state == "succeeded")
                    #expect(try await client.finished(queued).state == "succeeded")
                    #expect(try await client.session("up").state == "closed")
                    return queued
                }
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    #expect(try await client.session("up").state == "closed")
                    try await expectClosed(client)
                    #expect(try await client.task(queued.id).state == "succeeded")
                    #expect(try await client.invalidate("up", #"{"reset":true}"#).session.state == "open")
                    #expect(try await client.run(#"{"session":"up"}"#).state == "succeeded")
                }
            }
        }

        private func expectClosed(_ client: APIClient) async throws {
            let problem = try ProblemView(await client.post("/v1/tasks", json: #"{"session":"up"}"#))
            #expect(problem.status == 409)
            #expect(problem.type == "/problems/session-closed")
        }

        @Test("Invalidated with cancel_pending, a session cancels waiting and running tasks")
        func cancelPending() async throws {
            try await withUpstream({ connection in
                try connection.readRequest()
                connection.waitForClose()
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.session = ["limits: { concurrent: 2 }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    var tasks: [TaskView] = []
                    for _ in 0..<5 { tasks.append(try await client.create(#"{"session":"up"}"#)) }
                    _ = await upstream.requests.first(2)
                    let response = try await client.invalidate("up", #"{"cancel_pending":true}"#)
                    #expect(response.canceled == 5)
                    for task in tasks {
                        let canceled = try await client.finished(task)
                        #expect(canceled.state == "canceled")
                    }
                    #expect(Set(await upstream.ended.first(2)) == [0, 1])
                    #expect(upstream.requests.events.count == 2)
                    #expect(try await client.session("up").state == "closed")
                }
            }
        }

        @Test("Unknown options and sessions are refused")
        func refused() async throws {
            try await withGateway { gateway in
                let client = try gateway.client()
                let problem = try ProblemView(
                    await client.post("/v1/sessions/up/invalidate", json: #"{"cancel_pendin":true,"reset":1}"#))
                #expect(problem.status == 422)
                #expect(Set(problem.errors?.map(\.pointer) ?? []) == ["/cancel_pendin", "/reset"])
                #expect(problem.errors?.contains { $0.detail.contains("cancel_pending") } == true)
                #expect(try await client.session("up").state == "open")
                for call in ["suspend", "resume", "purge", "invalidate"] {
                    let unknown = try ProblemView(await client.post("/v1/sessions/none/\(call)"))
                    #expect(unknown.type == "/problems/no-such-session")
                }
            }
        }
    }
}
