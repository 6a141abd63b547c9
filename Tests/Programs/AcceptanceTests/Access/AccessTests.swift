import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Tokens grant the access that they are for")
    struct AccessTests {
        private static let reader = "Authorization: Bearer reader-token-0123456789"
        private static let writer = "Authorization: Bearer writer-token-0123456789"
        private static let raw = "Authorization: Bearer raw-token-0123456789"
        private static let slow = "Authorization: Bearer slow-token-0123456789"
        private static let admin = "Authorization: Bearer admin-token-0123456789"

        private var settings: GatewaySettings {
            var settings = GatewaySettings()
            settings.auth = [
                "tokens:", #"  - { name: reader, token: reader-token-0123456789, scopes: ["tasks:read"] }"#,
                #"  - { name: writer, token: writer-token-0123456789, scopes: ["tasks:write"] }"#,
                "  - { name: raw, token: raw-token-0123456789, sessions: [raw] }",
                "  - { name: slow, token: slow-token-0123456789, rate: 2/h }",
                "  - { name: admin, token: admin-token-0123456789, scopes: [admin] }",
            ]
            settings.logLevel = "info"
            return settings
        }

        @Test("A token without the scope gets 403 with the required scope; one of another session sees nothing")
        func scopesAndSessions() async throws {
            try await withGateway(settings) { gateway in
                let client = try gateway.client()
                let json = #"{"session":"up","start":"suspended"}"#
                let refused = try await client.post("/v1/tasks", json: json, Self.reader)
                #expect(try ProblemView(refused).status == 403)
                #expect(refused["WWW-Authenticate"]?.contains(#"scope="tasks:write""#) == true)
                let created = try await client.post("/v1/tasks", json: json, Self.writer)
                #expect(created.status == 202)
                let path = try #require(created["Location"])
                #expect(try await client.get(path, Self.writer).status == 403)
                #expect(try await client.get(path, Self.reader).status == 200)
                #expect(try ProblemView(await client.get(path, Self.raw)).status == 404)
                #expect(try await client.post("\(path)/cancel", Self.raw).status == 404)
                #expect(try await client.get("/v1/tasks", Self.raw).text == #"{"tasks":[],"next_page_token":null}"#)
                #expect(try await client.get("/v1/sessions/up", Self.raw).status == 404)
                #expect(try await client.post("/v1/tasks", json: json, Self.raw).status == 403)
                for token in [Self.reader, Self.writer, Self.raw] {
                    #expect(try await client.post("/v1/sessions/raw/suspend", token).status == 403)
                }
                #expect(try await client.post("/v1/sessions/raw/suspend", Self.admin).status == 200)
                #expect(try await client.post("\(path)/cancel", Self.admin).status == 200)
                #expect(try await client.get(path, Self.admin, Self.admin).status == 400)
            }
        }

        @Test("A token over its rate gets 429, and every response has the remaining budget")
        func rate() async throws {
            try await withGateway(settings) { gateway in
                let client = try gateway.client()
                for left in [1, 0] {
                    let response = try await client.get("/v1/tasks", Self.slow)
                    #expect(response.status == 200)
                    #expect(response["RateLimit-Policy"] == #""default";q=2;w=3600"#)
                    #expect(response["RateLimit"]?.hasPrefix(#""default";r=\#(left);t="#) == true)
                }
                let refused = try await client.get("/v1/tasks", Self.slow)
                #expect(try ProblemView(refused).status == 429)
                let wait = try #require(refused["Retry-After"].flatMap { Int($0) })
                #expect((1...1800).contains(wait))
                #expect(try await client.get("/healthz", Self.slow).status == 200)
                #expect(try await client.get("/v1/tasks", Self.reader)["RateLimit"] == nil)
            }
        }

        @Test("The log has changes and refusals with their caller, but no token")
        func audit() async throws {
            try await withGateway(settings) { gateway in
                let client = try gateway.client()
                _ = try await client.post("/v1/sessions/up/suspend", Self.admin, "X-Request-Id: change")
                let change = try await gateway.process.logLine(containing: #""request_id":"change""#)
                for part in [
                    #""message":"Audit: request for a change""#, #""token":"admin""#, #""client":"127.0.0.1""#,
                    #""method":"POST""#, #""route":"/v1/sessions/{name}/suspend""#, #""session":"up""#,
                    #""status":200"#,
                ] { #expect(change.contains(part), "\(part)") }
                _ = try await client.get(
                    "/v1/tasks?secret=hidden", "Authorization: Bearer wrong-token", "X-Request-Id: refusal")
                let refusal = try await gateway.process.logLine(containing: #""request_id":"refusal""#)
                for part in [
                    #""message":"Audit: request refused""#, #""status":401"#, #""path":"/v1/tasks""#,
                ] { #expect(refusal.contains(part), "\(part)") }
                for secret in ["token-0123456789", "wrong-token", "hidden"] {
                    #expect(!(change + refusal).contains(secret))
                }
            }
        }
    }
}
