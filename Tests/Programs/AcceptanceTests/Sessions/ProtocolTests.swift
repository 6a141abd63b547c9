import ErrandSupport
import Testing

extension Acceptance {
    @Suite("The gateway conforms to HTTP")
    struct ProtocolTests {
        @Test("An unknown path gets 404, a known one with another method 405 with Allow")
        func misses() async throws {
            try await withGateway { gateway in
                let client = try gateway.client()
                for path in ["/v1", "/v1/tasks/", "/v1/tasks/nothing", "/v1/tasks/nothing/body", "//v1/tasks"] {
                    #expect(try ProblemView(await client.get(path)).status == 404, "\(path)")
                }
                let response = try await client.send("DELETE", "/v1/tasks")
                #expect(try ProblemView(response).status == 405)
                #expect(response["Allow"] == "GET, HEAD, OPTIONS, POST")
            }
        }

        @Test("HEAD answers like GET, without the content; OPTIONS lists the allowed methods")
        func headAndOptions() async throws {
            try await withGateway { gateway in
                let client = try gateway.client()
                let task = try await client.create(#"{"session":"up"}"#)
                let finished = try await client.finished(task)
                for path in ["/healthz", "/version", "/v1/tasks", "/v1/tasks/\(finished.id)", "/v1/sessions/up"] {
                    let get = try await client.get(path)
                    let head = try await client.send("HEAD", path)
                    #expect(head.status == get.status, "\(path)")
                    #expect(head["Content-Length"] == "\(get.body.count)", "\(path)")
                    #expect(head["Content-Type"] == get["Content-Type"], "\(path)")
                    #expect(head["ETag"] == get["ETag"], "\(path)")
                }
                let options = try await client.send("OPTIONS", "/v1/tasks/\(task.id)")
                #expect(options.status == 204)
                #expect(options["Accept-Patch"] == "application/merge-patch+json")
                #expect(options["Allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH")
            }
        }

        @Test("Each response has a request id: the client's own if it is valid")
        func requestIDs() async throws {
            try await withGateway { gateway in
                let client = try gateway.client()
                #expect(try await client.get("/healthz", "X-Request-Id: a-b_c.1:2")["X-Request-Id"] == "a-b_c.1:2")
                let first = try await client.get("/nowhere", "X-Request-Id: a b")
                #expect(first["X-Request-Id"]?.count == 36)
                #expect(try ProblemView(first).requestId == first["X-Request-Id"])
                #expect(try await client.get("/nowhere")["X-Request-Id"] != first["X-Request-Id"])
            }
        }

        @Test("A page of another origin gets 403, a foreign Host 421")
        func browsers() async throws {
            var settings = GatewaySettings()
            settings.server = ["hosts: [gateway.example]", "cors: { origins: [\"https://console.example\"] }"]
            try await withGateway(settings) { gateway in
                let client = try gateway.client()
                for header in ["Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"] {
                    #expect(try ProblemView(await client.get("/v1/tasks", header)).status == 403, "\(header)")
                }
                for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "0x7f.1"] {
                    #expect(try ProblemView(await client.get("/v1/tasks", "Host: \(host)")).status == 421, "\(host)")
                }
                for host in ["localhost", "localhost:\(gateway.port)", "[::1]", "127.0.0.2", "gateway.example:8080"] {
                    #expect(try await client.get("/v1/tasks", "Host: \(host)").status == 200, "\(host)")
                }
                let own = try await client.get("/v1/tasks", "Origin: \(gateway.origin)")
                #expect(own.status == 200)
                #expect(own["Access-Control-Allow-Origin"] == nil)
                let console = try await client.get("/v1/tasks", "Origin: https://console.example")
                #expect(console.status == 200)
                #expect(console["Access-Control-Allow-Origin"] == "https://console.example")
                let preflight = try await client.send(
                    "OPTIONS", "/v1/tasks",
                    ["Origin: https://console.example", "Access-Control-Request-Method: POST"])
                #expect(preflight.status == 204)
                #expect(preflight["Access-Control-Allow-Methods"]?.contains("POST") == true)
            }
        }

        @Test("With tokens configured, a request without a known one gets the same 401")
        func tokens() async throws {
            var settings = GatewaySettings()
            // printf %s hashed-token-0123456789 | sha256sum
            let digest = "b22fd458dbe2426bebe59cfafe4c46e013df3efd439e4d91cda767ac3052ddd0"
            settings.auth = [
                "tokens:", "  - { name: plain, token: plain-token-0123456789 }",
                "  - { name: hashed, sha256: \"\(digest)\" }",
            ]
            try await withGateway(settings) { gateway in
                let client = try gateway.client()
                let path = "/v1/tasks"
                let none = try await client.get(path, "X-Request-Id: x")
                #expect(none.status == 401)
                #expect(none["WWW-Authenticate"] == #"Bearer realm="errand""#)
                var bodies: Set<String> = []
                for value in [
                    "Bearer wrong", "Bearer plain-token-012345678", "Bearer plain-token-01234567890",
                    "Bearer \(digest)",
                    "bearer x", "Bearer plain-token-0123456780",
                ] {
                    let response = try await client.get(path, "Authorization: \(value)", "X-Request-Id: x")
                    #expect(response.status == 401, "\(value)")
                    #expect(response["WWW-Authenticate"]?.contains("invalid_token") == true)
                    bodies.insert(response.text)
                }
                #expect(bodies.count == 1)
                for value in ["Basic cGxhaW4=", "Bearer", "plain-token-0123456789"] {
                    #expect(try await client.get(path, "Authorization: \(value)").status == 401, "\(value)")
                }
                #expect(try await client.get(path, "Authorization: Bearer plain-token-0123456789").status == 200)
                #expect(try await client.get(path, "Authorization: bearer hashed-token-0123456789").status == 200)
                #expect(try await client.get("/healthz").status == 200)
                let options = try await client.send("OPTIONS", "/healthz")
                #expect(options.status == 204 && options["Allow"] == "GET, HEAD, OPTIONS")
                // A page under a name of its own has no token.
                let page = try await client.get("/version", "Host: any.example")
                #expect(try ProblemView(page).status == 421)
                // With a token, any Host is accepted.
                let named = try await client.get(
                    path, "Host: any.example", "Authorization: Bearer plain-token-0123456789")
                #expect(named.status == 200)
                let posted = try await client.post(path, json: #"{"session":"up"}"#)
                #expect(posted.status == 401)
            }
        }
    }
}
