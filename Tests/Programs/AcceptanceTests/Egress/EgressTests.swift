import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Tasks refuse", .enabled(if: NameServer.isPossible))
    struct EgressTests {
        /// Answers in a recognizable way, so that each server which must not be reached is detected.
        @Sendable private static func seen(_ connection: ScriptedConnection) throws {
            try connection.readRequest()
            try connection.respond("200 OK", ["Content-Type: text/plain"], body: "found")
        }

        private static let open =
            "open: { base_url: null, url_scope: any, response: { serializer: raw } }"

        /// Creates a task and returns its outcome.
        private static func verdict(
            on json: String, _ client: APIClient
        ) async throws -> (verdict: ForgedTarget.Verdict?, message: String) {
            let response = try await client.post("/v1/tasks", json: json)
            guard response.status != 422 else { return (.refused, response.text) }
            let task = try await client.finished(TaskView(response, expecting: [202]))
            return (task.error.map { .fails($0.code) }, task.error?.message ?? task.state)
        }

        @Test("The samples contain many notations of addresses")
        func table() {
            #expect(ForgedTarget.all.count >= 150)
            #expect(Set(ForgedTarget.all.map(\.url)).count == ForgedTarget.all.count)
        }

        @Test("to connect to an address that is not public, in any notation")
        func direct() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(Self.seen) { secret in
                var settings = GatewaySettings()
                settings.sessions = [Self.open]
                try await withNameServer(in: folder, NameServer.resolve) { _, launcher in
                    try await withGateway(settings, in: folder, launcher: launcher) { gateway in
                        let client = try gateway.client()
                        for target in ForgedTarget.all {
                            let json = #"{"session":"open","path":\#(target.quotedURL(port: secret.port))}"#
                            let (verdict, message) = try await Self.verdict(on: json, client)
                            #expect(verdict == target.verdict, "\(target): \(message)")
                        }
                    }
                }
                #expect(secret.accepted.events.isEmpty)
            }
        }

        @Test("to follow a redirect to such an address")
        func redirected() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(Self.seen) { secret in
                let targets = ForgedTarget.all
                try await withUpstream({ connection in
                    while true {
                        let number = Int(try connection.readRequest().line.split(separator: " ")[1].dropFirst()) ?? 0
                        let location = targets[number].url(port: secret.port)
                        try connection.respond("302 Found", ["Location: \(location)"], body: "")
                    }
                }) { upstream in
                    let settings = GatewaySettings(upstream: upstream.origin)
                    try await withNameServer(in: folder, NameServer.resolve) { _, launcher in
                        try await withGateway(settings, in: folder, launcher: launcher) { gateway in
                            let client = try gateway.client()
                            for (number, target) in targets.enumerated() {
                                let json = #"{"session":"raw","path":"\#(number)"}"#
                                let (verdict, message) = try await Self.verdict(on: json, client)
                                #expect(verdict == target.redirected, "\(target): \(message)")
                            }
                        }
                    }
                }
                #expect(secret.accepted.events.isEmpty)
            }
        }

        @Test("to connect to the second address of a name if only the first is allowed")
        func rebinding() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(Self.seen) { secret in
                // The first address is allowed, but has no listener.
                let script: NameServer.Script = { _, number in number == 0 ? ["127.0.0.2"] : ["127.0.0.1"] }
                var settings = GatewaySettings()
                settings.sessions = [
                    """
                    open: { base_url: null, url_scope: any, egress: { allow: [127.0.0.2] }, \
                    response: { serializer: raw } }
                    """
                ]
                try await withNameServer(in: folder, script) { nameServer, launcher in
                    try await withGateway(settings, in: folder, launcher: launcher) { gateway in
                        let client = try gateway.client()
                        let json = #"{"session":"open","path":"http://rebound.example:\#(secret.port)/"}"#
                        let first = try await client.run(json)
                        #expect(first.error?.code == "cannot_connect")
                        // A new session object resolves the name again, as any does after a minute.
                        let reset = try await client.post(
                            "/v1/sessions/open/invalidate", json: #"{"cancel_pending":false,"reset":true}"#)
                        #expect(reset.status == 200)
                        let second = try await client.run(json)
                        #expect(second.error?.code == "egress_denied")
                        #expect(nameServer.questions.events.count == 2)
                    }
                }
                #expect(secret.accepted.events.isEmpty)
            }
        }

        @Test("to connect to a refused address of a name that also has an allowed one")
        func mixedAnswer() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(Self.seen) { secret in
                let script: NameServer.Script = { _, _ in ["127.0.0.1", "127.0.0.2"] }
                var settings = GatewaySettings()
                settings.sessions = [
                    """
                    open: { base_url: null, url_scope: any, egress: { allow: [127.0.0.2] }, \
                    response: { serializer: raw } }
                    """
                ]
                try await withNameServer(in: folder, script) { _, launcher in
                    try await withGateway(settings, in: folder, launcher: launcher) { gateway in
                        let json = #"{"session":"open","path":"http://two.example:\#(secret.port)/"}"#
                        let task = try await gateway.client().run(json)
                        // The allowed address has no listener.
                        #expect(task.error?.code == "cannot_connect")
                    }
                }
                #expect(secret.accepted.events.isEmpty)
            }
        }

        @Test("to reveal more about the network than the policy")
        func message() async throws {
            let folder = try TemporaryFolder()
            var settings = GatewaySettings()
            settings.sessions = [Self.open]
            try await withNameServer(in: folder, NameServer.resolve) { _, launcher in
                try await withGateway(settings, in: folder, launcher: launcher) { gateway in
                    let client = try gateway.client()
                    let task = try await client.run(#"{"session":"open","path":"http://a-10-11-12-13.example/"}"#)
                    #expect(task.error?.code == "egress_denied")
                    let text = try await client.get("/v1/tasks/\(task.id)").text
                    #expect(!text.contains("10.11.12.13"))
                }
            }
        }
    }
}
