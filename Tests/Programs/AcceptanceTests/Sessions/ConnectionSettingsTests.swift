import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Destinations of connections")
    struct ConnectionSettingsTests {
        private static func session(_ base: String, _ connection: String, egress: String = "") -> String {
            """
            out: { base_url: "\(base)", connection: { \(connection) }, egress: { \(egress) }, \
            response: { serializer: text } }
            """
        }

        /// Answers with the request it received.
        @Sendable private static func echoing(_ connection: ScriptedConnection) throws {
            while true {
                let line = try connection.readRequest().line
                try connection.respond("200 OK", ["Content-Type: text/plain"], body: line)
            }
        }

        @Test(
            "A proxy gets requests to an upstream that only it knows, with credentials that no other server sees")
        func proxy() async throws {
            try await withUpstream(Self.echoing) { proxy in
                var settings = GatewaySettings()
                settings.sessions = [
                    Self.session(
                        "http://upstream.example/api/", "proxy: \"http://someone:pass%20word@127.0.0.1:\(proxy.port)\"",
                        egress: "allow: [127.0.0.1], trust_proxy: true")
                ]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let task = try await client.run(#"{"session":"out","path":"x?y=1"}"#)
                    #expect(task.response?.object == "GET http://upstream.example/api/x?y=1 HTTP/1.1")
                    let request = try #require(proxy.requests.events.first)
                    #expect(request["Host"] == "upstream.example")
                    #expect(request["Proxy-Authorization"] == "Basic c29tZW9uZTpwYXNzIHdvcmQ=")
                    let shown = try await client.get("/v1/tasks/\(task.id)").text + client.get("/v1/sessions/out").text
                    for secret in ["pass%20word", "pass word", "c29tZW9uZTpwYXNzIHdvcmQ"] {
                        #expect(!shown.contains(secret))
                    }
                }
            }
        }

        @Test("A tunnel through a proxy carries any protocol")
        func socks() async throws {
            try await withUpstream(Self.echoing) { upstream in
                try await withUpstream({ connection in
                    // RFC 1928: no authentication, CONNECT to a name (socks5h).
                    let methods = try connection.read(2)
                    _ = try connection.read(Int(methods[1]))
                    try connection.send([5, 0])
                    let head = try connection.read(5)
                    let name = String(decoding: try connection.read(Int(head[4])), as: UTF8.self)
                    _ = try connection.read(2)
                    connection.record(name)
                    try connection.relay(to: upstream.port, greeting: [5, 0, 0, 1, 127, 0, 0, 1, 0, 0])
                }) { proxy in
                    var settings = GatewaySettings()
                    settings.sessions = [
                        Self.session(
                            "http://inside.example/", "proxy: \"socks5h://127.0.0.1:\(proxy.port)\"",
                            egress: "allow: [127.0.0.1], trust_proxy: true")
                    ]
                    try await withGateway(settings) { gateway in
                        let task = try await gateway.client().run(#"{"session":"out","path":"x"}"#)
                        #expect(task.response?.object == "GET /x HTTP/1.1")
                        #expect(proxy.requests.events.map(\.head) == ["inside.example"])
                        #expect(upstream.requests.events.map { $0["Host"] } == ["inside.example"])
                    }
                }
            }
        }

        @Test("A name with a configured address is not resolved, and is sent as the host name")
        func resolve() async throws {
            try await withUpstream(Self.echoing) { upstream in
                let host = "fixed.example:\(upstream.port)"
                var settings = GatewaySettings()
                settings.sessions = [Self.session("http://\(host)/", "resolve: { \"\(host)\": 127.0.0.1 }")]
                try await withGateway(settings) { gateway in
                    let task = try await gateway.client().run(#"{"session":"out"}"#)
                    #expect(task.response?.object == "GET / HTTP/1.1")
                    #expect(upstream.requests.events.map { $0["Host"] } == [host])
                }
            }
        }

        @Test("Connections come from the configured interface")
        func interface() async throws {
            let peers = EventLog<String?>()
            try await withUpstream({ connection in
                peers.append(connection.peerAddress)
                try Self.echoing(connection)
            }) { upstream in
                var settings = GatewaySettings()
                settings.sessions = [Self.session(upstream.origin, "interface: 127.0.0.2")]
                try await withGateway(settings) { gateway in
                    let task = try await gateway.client().run(#"{"session":"out"}"#)
                    #expect(task.state == "succeeded")
                    #expect(peers.events == ["127.0.0.2"])
                }
            }
        }
    }
}
