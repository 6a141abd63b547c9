import Support
import Testing

extension Acceptance {
    @Suite("What a task cannot be talked into", .enabled(if: NameServer.isPossible))
    struct EgressTests {
        /// Nothing is refused where a server could have seen it: each server that must not be found says so.
        @Sendable private static func seen(_ connection: ScriptedConnection) throws {
            try connection.readRequest()
            try connection.respond("200 OK", ["Content-Type: text/plain"], body: "found")
        }

        /// The addresses that names stand for: `a-10-0-0-1.example` for 10.0.0.1, others for this machine.
        @Sendable private static func resolve(_ name: String, _ number: Int) -> [String]? {
            guard name.hasPrefix("a-") else { return ["127.0.0.1"] }
            let label = name.dropFirst(2).prefix { $0 != "." }
            return [label.split(separator: "-").joined(separator: ".")]
        }

        private static let open =
            "open: { base_url: null, url_scope: any, timeouts: { connect: 5s }, response: { serializer: raw } }"

        /// Creates a task and tells what becomes of it.
        private static func verdict(
            on json: String, _ client: APIClient
        ) async throws -> (verdict: ForgedTarget.Verdict?, message: String) {
            let answer = try await client.post("/v1/tasks", json: json)
            guard answer.status != 422 else { return (.refused, answer.text) }
            let task = try await client.finished(TaskView(answer, expecting: [202]))
            return (task.error.map { .fails($0.code) }, task.error?.message ?? task.state)
        }

        @Test("There are many ways to write an address")
        func table() {
            #expect(ForgedTarget.all.count >= 150)
            #expect(Set(ForgedTarget.all.map(\.url)).count == ForgedTarget.all.count)
        }

        @Test("To dial an address that is not public, however it is written")
        func direct() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(Self.seen) { secret in
                var settings = GatewaySettings()
                settings.sessions = [Self.open]
                try await withNameServer(in: folder, Self.resolve) { _, launcher in
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

        @Test("To follow a redirect to such an address")
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
                    try await withNameServer(in: folder, Self.resolve) { _, launcher in
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

        @Test("To dial the second address of a name, when only the first may be dialled")
        func rebinding() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(Self.seen) { secret in
                // The first answer is an address where nobody listens; it may be dialled.
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
                        // A fresh session asks again, as any does after a minute.
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

        @Test("To dial one address of a name that has another which may be dialled")
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
                        #expect(task.error?.code == "egress_denied")
                    }
                }
                #expect(secret.accepted.events.isEmpty)
            }
        }

        @Test("To tell more about the network than the policy says")
        func message() async throws {
            let folder = try TemporaryFolder()
            var settings = GatewaySettings()
            settings.sessions = [Self.open]
            try await withNameServer(in: folder, Self.resolve) { _, launcher in
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
