import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Callbacks refuse", .enabled(if: NameServer.isPossible))
    struct CallbackRefusalTests {
        private typealias Settings = CallbackSettings

        @Test("to connect to an address that is not public, in any notation")
        func direct() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(ScriptedServer.accepting) { secret in
                try await withUpstream(ScriptedServer.accepting) { upstream in
                    let settings = Settings.settings(
                        upstream: upstream.origin, secrets: [Settings.secret], allows: false)
                    try await withNameServer(in: folder, NameServer.resolve) { _, launcher in
                        try await withGateway(settings, in: folder, launcher: launcher) { gateway in
                            let client = try gateway.client()
                            for target in ForgedTarget.all {
                                let url = target.quotedURL(port: secret.port)
                                let json = #"{"session":"up","callback":{"url":\#(url)}}"#
                                let response = try await client.post("/v1/tasks", json: json)
                                guard response.status != 422 else {
                                    #expect(target.verdict == .refused, "\(target): \(response.text)")
                                    #expect(response.text.contains(#""pointer":"/callback/url""#))
                                    continue
                                }
                                let task = try await client.finished(TaskView(response, expecting: [202]))
                                // Transient failures are retried for days; the first attempt is enough here.
                                let delivery = try await client.attempted(client.delivery(about: task))
                                let failure = delivery.attempts.first?.error
                                let verdict = failure.map { ForgedTarget.Verdict.fails($0.code) }
                                #expect(verdict == target.verdict, "\(target): \(delivery.state)")
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
            try await withUpstream(ScriptedServer.accepting) { secret in
                try await withUpstream(ScriptedServer.accepting) { upstream in
                    // The first address is allowed, but has no listener.
                    let script: NameServer.Script = { _, number in number == 0 ? ["127.0.0.2"] : ["127.0.0.1"] }
                    var settings = Settings.settings(
                        upstream: upstream.origin, secrets: [Settings.secret], allows: false)
                    settings.sessions = ["callbacks: { egress: { allow: [127.0.0.2] } }"]
                    try await withNameServer(in: folder, script) { nameServer, launcher in
                        try await withGateway(settings, in: folder, launcher: launcher) { gateway in
                            let client = try gateway.client()
                            let json = Settings.task(callback: "http://rebound.example:\(secret.port)/")
                            let task = try await client.run(json)
                            let first = try await client.attempted(client.delivery(about: task))
                            #expect(first.attempts.map(\.error?.code) == ["cannot_connect"])
                            // A new session object resolves the name again, as any does after a minute.
                            let reset = try await client.post(
                                "/v1/sessions/callbacks/invalidate", json: #"{"reset":true}"#)
                            #expect(reset.status == 200)
                            _ = try await client.post("/v1/tasks/\(first.id)/run-now")
                            let second = try await client.finished(first)
                            #expect(second.attempts.map(\.error?.code) == ["cannot_connect", "egress_denied"])
                            #expect(second.state == "failed")
                            #expect(nameServer.questions.events.count == 2)
                        }
                    }
                }
                #expect(secret.accepted.events.isEmpty)
            }
        }

        @Test("to follow a redirect: it is not a delivery, and no other server gets the message")
        func redirected() async throws {
            try await withUpstream(ScriptedServer.accepting) { other in
                try await withUpstream(
                    Settings.answering("307 Temporary Redirect", fields: ["Location: \(other.origin)/"])
                ) { receiver in
                    try await withUpstream(ScriptedServer.accepting) { upstream in
                        var settings = Settings.settings(upstream: upstream.origin, secrets: [Settings.secret])
                        settings.sessions.append("hooks: { base_url: '\(receiver.origin)/', url_scope: any }")
                        try await withGateway(settings) { gateway in
                            let client = try gateway.client()
                            for more in ["", #","session":"hooks""#] {
                                let task = try await client.run(
                                    Settings.task(callback: "\(receiver.origin)/", more: more))
                                let delivery = try await client.finished(client.delivery(about: task))
                                #expect(delivery.state == "failed")
                                #expect(delivery.error?.code == "redirect_refused")
                            }
                        }
                    }
                }
                #expect(other.accepted.events.isEmpty)
            }
        }

        @Test("to use a session without access, or to create tasks")
        func sessions() async throws {
            try await withUpstream(ScriptedServer.accepting) { receiver in
                var settings = Settings.settings(upstream: receiver.origin, secrets: [Settings.secret])
                settings.auth = [
                    "tokens:", "  - { name: up, token: up-token-0123456789, sessions: [up] }",
                    "  - { name: all, token: all-token-0123456789 }",
                ]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let up = "Authorization: Bearer up-token-0123456789"
                    let all = "Authorization: Bearer all-token-0123456789"
                    for session in ["raw", "unknown", "callbacks"] {
                        let json = Settings.task(callback: "hook", more: #","session":"\#(session)""#)
                        #expect(try await client.post("/v1/tasks", json: json, up).status == 403, "\(session)")
                    }
                    let unknown = try await client.post(
                        "/v1/tasks", json: Settings.task(callback: "hook", more: #","session":"unknown""#), all)
                    #expect(unknown.status == 422)
                    #expect(unknown.text.contains(#""pointer":"/callback/session""#))
                    let direct = try await client.post(
                        "/v1/tasks", json: #"{"session":"callbacks","path":"\#(receiver.origin)/"}"#, all)
                    #expect(direct.status == 422)
                    #expect(direct.text.contains(#""pointer":"/session""#))
                    // Allowed through its own session, with a path of that.
                    let own = try await client.post(
                        "/v1/tasks?wait=1h", json: Settings.task(callback: "hook", more: #","session":"up""#), up)
                    #expect(own.status == 200)
                    let message = try #require(await receiver.requests.first(2).last)
                    #expect(message.line == "POST /hook HTTP/1.1")
                }
            }
        }

        @Test("to be sent without a signature, unless configured")
        func unsigned() async throws {
            try await withUpstream(ScriptedServer.accepting) { receiver in
                var settings = Settings.settings(upstream: receiver.origin, secrets: [])
                let json = Settings.task(callback: "\(receiver.origin)/")
                try await withGateway(settings) { gateway in
                    let response = try await gateway.client().post("/v1/tasks", json: json)
                    #expect(response.status == 422)
                    #expect(response.text.contains(#""pointer":"/callback""#))
                }
                settings.more = ["callbacks: { unsigned: true }"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let delivery = try await client.finished(client.delivery(about: client.run(json)))
                    #expect(delivery.state == "succeeded")
                    let message = try #require(await receiver.requests.first(2).last)
                    #expect(message["webhook-id"] == delivery.id)
                    #expect(message["webhook-signature"] == nil)
                }
            }
        }
    }
}
