import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Reachability")
    struct ReachabilityTests {
        /// Runs an upstream that does not listen yet.
        private func withSilentUpstream(_ body: (ScriptedServer) async throws -> Void) async throws {
            let upstream = try ScriptedServer(listens: false, ScriptedServer.accepting)
            defer { upstream.stop() }
            try await body(upstream)
        }

        @Test("Reachability found by tasks is reported, and pauses no task")
        func passive() async throws {
            try await withSilentUpstream { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    let client = try gateway.client()
                    #expect(try await client.session("up").reachability == "unknown")
                    for _ in 0..<2 {
                        let failed = try await client.run(#"{"session":"up"}"#)
                        #expect(failed.error?.code == "cannot_connect")
                        #expect(try await client.session("up").reachability == "not_reachable")
                    }
                    try upstream.listen()
                    #expect(try await client.run(#"{"session":"up"}"#).state == "succeeded")
                    #expect(try await client.session("up").reachability == "reachable")
                    #expect(try await client.session("raw").reachability == "unknown")
                }
            }
        }

        @Test(
            "With hold_when_unreachable tasks wait for their upstream, and run once it is reachable",
            arguments: ["probe: tcp", "probe: { http: /health }", "probe: passive"])
        func hold(probe: String) async throws {
            try await withSilentUpstream { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.session = ["reachability: { \(probe), interval: 1s, hold_when_unreachable: true }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    if probe == "probe: passive" {
                        // The first task has to detect it.
                        #expect(try await client.run(#"{"session":"up"}"#).error?.code == "cannot_connect")
                    }
                    _ = try await gateway.process.logLine(containing: "Tasks wait for their upstream")
                    #expect(try await client.session("up").reachability == "not_reachable")
                    var tasks: [TaskView] = []
                    for number in 0..<3 {
                        tasks.append(try await client.create(#"{"session":"up","path":"\#(number)"}"#))
                    }
                    for task in tasks {
                        let waiting = try await client.task(task.id)
                        #expect(waiting.state == "queued")
                        #expect(waiting.hold == "unreachable")
                    }
                    try upstream.listen()
                    for task in tasks {
                        let finished = try await client.finished(task)
                        #expect(finished.state == "succeeded")
                        #expect(finished.attempts.count == 1)
                        #expect(finished.hold == nil)
                    }
                    #expect(try await client.session("up").reachability == "reachable")
                }
            }
        }
    }
}
