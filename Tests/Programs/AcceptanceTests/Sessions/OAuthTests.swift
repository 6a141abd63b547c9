import ErrandLocking
import ErrandSupport
import Testing

extension Acceptance {
    @Suite("OAuth 2 tokens")
    struct OAuthTests {
        private static let taskCount = 64

        /// The reason why the tasks' token is invalid.
        enum Expiry: String, CaseIterable, Codable {
            /// The token endpoint issued it with a lifetime of zero.
            case byClock
            /// The upstream no longer accepts it.
            case byRefusal
        }

        /// A token endpoint, and an upstream that accepts only the newest token.
        ///
        /// The upstream answers the first wave of requests when all have arrived, so that the whole wave is refused.
        private final class Issuer: Sendable {
            private let expiry: Expiry
            private let state = Mutex(State())
            private let wave = Gate()

            private struct State {
                var issued = 0
                var refused = 0
            }

            init(_ expiry: Expiry) {
                self.expiry = expiry
            }

            /// The number of issued tokens.
            var issued: Int { state.withLock { $0.issued } }

            func serve(_ connection: ScriptedConnection) throws {
                while true {
                    let request = try connection.readRequest()
                    if request.line == "POST /token HTTP/1.1" {
                        try issue(to: connection)
                    } else {
                        try judge(request, on: connection)
                    }
                }
            }

            private func issue(to connection: ScriptedConnection) throws {
                let number = state.withLock { state in
                    state.issued += 1
                    return state.issued
                }
                let lifetime = expiry == .byClock && number == 1 ? 0 : 3600
                try connection.respond(
                    "200 OK", ["Content-Type: application/json", "Cache-Control: no-store"],
                    body: #"{"access_token":"secret-\#(number)","token_type":"Bearer","expires_in":\#(lifetime)}"#)
            }

            private func judge(_ request: ScriptedRequest, on connection: ScriptedConnection) throws {
                let isFirst = request.line.contains("/first ")
                let isNewest = request["Authorization"] == "Bearer secret-\(issued)"
                if isNewest, isFirst || expiry == .byClock || issued > 1 {
                    return try connection.respond("200 OK", ["Content-Type: application/json"], body: "{}")
                }
                let refused = state.withLock { state in
                    state.refused += 1
                    return state.refused
                }
                if refused == OAuthTests.taskCount { (0..<refused).forEach { _ in wave.open() } }
                if refused <= OAuthTests.taskCount { wave.wait() }
                try connection.respond("401 Unauthorized", ["WWW-Authenticate: Bearer error=\"invalid_token\""])
            }
        }

        @Test("64 tasks with an expired token renew it exactly once", arguments: Expiry.allCases)
        func oneRefresh(expiry: Expiry) async throws {
            let issuer = Issuer(expiry)
            try await withUpstream({ try issuer.serve($0) }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                let oauth = "token_url: \"\(upstream.origin)/token\", client_id: me, client_secret: \"client-secret\""
                settings.session = [
                    "credentials: { oauth2: { \(oauth) } }", "limits: { concurrent: 100 }",
                    "connection: { max_per_host: 100 }",
                ]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    #expect(try await client.run(#"{"session":"up","path":"first"}"#).state == "succeeded")
                    #expect(issuer.issued == 1)
                    let states = try await withThrowingTaskGroup(of: TaskView.self) { group in
                        for number in 0..<Self.taskCount {
                            group.addTask { try await gateway.client().run(#"{"session":"up","path":"\#(number)"}"#) }
                        }
                        return try await group.reduce(into: [:]) { $0[$1.state, default: 0] += 1 }
                    }
                    #expect(states == ["succeeded": Self.taskCount])
                    #expect(issuer.issued == 2)

                    let tokens = upstream.requests.events.filter { $0.line.hasPrefix("POST /token ") }
                    #expect(
                        tokens.allSatisfy { String(decoding: $0.body, as: UTF8.self).contains("client_credentials") })
                    let shown =
                        try await client.get("/v1/tasks?page_size=100").text
                        + client.get("/v1/sessions/up").text
                    #expect(!shown.contains("secret-"))
                    #expect(!shown.contains("client-secret"))
                }
            }
        }
    }
}
