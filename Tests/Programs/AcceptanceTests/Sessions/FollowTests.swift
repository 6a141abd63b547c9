import ErrandSupport
import Testing

extension Acceptance {
    @Suite("A client waits for its task")
    struct FollowTests {
        /// Runs an upstream that answers each request when the test opens the gate.
        private func withGatedUpstream(
            server: [String] = [], _ body: (Gate, ScriptedServer, GatewayProcess) async throws -> Void
        ) async throws {
            let gate = Gate()
            try await withUpstream({ connection in
                while true {
                    try connection.readRequest()
                    gate.wait()
                    try connection.respond("200 OK", ["Content-Type: application/json"], body: "{}")
                }
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin, server: server)) { gateway in
                    try await body(gate, upstream, gateway)
                }
            }
        }

        @Test("A create with a wait gets 200 with the finished task")
        func createAndWait() async throws {
            try await withGatedUpstream { gate, _, gateway in
                let client = try gateway.client()
                gate.open()
                let query = try await client.post("/v1/tasks?wait=1h", json: #"{"session":"up"}"#)
                #expect(try TaskView(query).state == "succeeded")
                #expect(query["Preference-Applied"] == nil)
                #expect(query["Vary"] == "Prefer")
                gate.open()
                let prefer = try await client.post("/v1/tasks", json: #"{"session":"up"}"#, "Prefer: wait=3600")
                #expect(try TaskView(prefer).state == "succeeded")
                #expect(prefer["Preference-Applied"] == "wait=3600")
                #expect(prefer["Vary"] == "Prefer")
            }
        }

        @Test("A wait that times out gets 202 with the running task; a wait above the limit is reduced")
        func unmetWait() async throws {
            try await withGatedUpstream(server: ["max_wait: 20m"]) { gate, _, gateway in
                let client = try gateway.client()
                let response = try await client.post("/v1/tasks?wait=1ms", json: #"{"session":"up"}"#)
                let task = try TaskView(response, expecting: [202])
                #expect(task.state == "running")
                #expect(response["Location"] == "/v1/tasks/\(task.id)")
                gate.open()
                let long = try await client.get("/v1/tasks/\(task.id)", "Prefer: respond-async, wait=3600")
                #expect(try TaskView(long).state == "succeeded")
                #expect(long["Preference-Applied"] == "wait=1200")
                // A malformed preference is ignored.
                let odd = try await client.get("/v1/tasks/\(task.id)", "Prefer: wait=soon")
                #expect(odd.status == 200)
                #expect(odd["Preference-Applied"] == nil)
            }
        }

        @Test("A long poll is answered when the task ends, for every waiting client")
        func longPoll() async throws {
            try await withGatedUpstream { gate, upstream, gateway in
                let task = try await gateway.client().create(#"{"session":"up"}"#)
                _ = await upstream.requests.first(1)
                let states = try await withThrowingTaskGroup(of: String.self) { group in
                    defer { gate.open() }
                    for _ in 0..<8 {
                        let client = try gateway.client()
                        try await client.connection.send(
                            "GET /v1/tasks/\(task.id)?wait=1h HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        group.addTask { try await TaskView(client.connection.response()).state }
                    }
                    // Answered on the same loop, so after the polls were received.
                    #expect(try await gateway.client().get("/healthz").status == 200)
                    gate.open()
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(states == Array(repeating: "succeeded", count: 8))
            }
        }

        @Test("With an entity tag a client is only notified of changes")
        func entityTags() async throws {
            try await withGatedUpstream { gate, upstream, gateway in
                let client = try gateway.client()
                let task = try await client.create(#"{"session":"up"}"#)
                _ = await upstream.requests.first(1)
                let path = "/v1/tasks/\(task.id)"
                let running = try await client.get(path)
                let tag = try #require(running["ETag"])
                #expect(try tag == "\"r\(TaskView(running).revision)\"")
                let unchanged = try await client.get(path, "If-None-Match: \(tag)")
                #expect(unchanged.status == 304)
                #expect(unchanged["ETag"] == tag)
                #expect(unchanged.body.isEmpty)
                let timedOut = try await client.get("\(path)?wait=1ms&wait_for=change", "If-None-Match: \(tag)")
                #expect(timedOut.status == 304)
                // A client with an older revision is answered at once.
                let behind = try await client.get("\(path)?wait=1h&wait_for=change", "If-None-Match: \"r0\"")
                #expect(try TaskView(behind).state == "running")

                let waiting = try gateway.client()
                try await waiting.connection.send(
                    "GET \(path)?wait=1h&wait_for=change HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: \(tag)\r\n\r\n")
                #expect(try await client.get("/healthz").status == 200)
                gate.open()
                let changed = try await waiting.connection.response()
                #expect(try TaskView(changed).state == "succeeded")
                #expect(changed["ETag"] != tag)
            }
        }

        @Test("A client that disconnects while waiting does not affect the others")
        func leavingClient() async throws {
            try await withGatedUpstream { gate, upstream, gateway in
                let client = try gateway.client()
                let task = try await client.create(#"{"session":"up"}"#)
                _ = await upstream.requests.first(1)
                for _ in 0..<20 {
                    let leaving = try gateway.client()
                    try await leaving.connection.send(
                        "GET /v1/tasks/\(task.id)?wait=1h HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    leaving.connection.reset()
                }
                gate.open()
                #expect(try await client.finished(task).state == "succeeded")
            }
        }
    }
}
