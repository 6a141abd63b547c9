import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Cookies")
    struct CookieTests {
        @Test(
            "Persistent cookies survive a restart until they expire; ephemeral ones do not, and off stores none"
        )
        func restart() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream({ connection in
                while true {
                    try connection.readRequest()
                    let cookies = ["kept=1; Max-Age=3600; Path=/", "passing=1"].map { "Set-Cookie: \($0)" }
                    try connection.respond("200 OK", cookies, body: "x")
                }
            }) { upstream in
                let policies = ["persistent", "ephemeral", "off"]
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.sessions = policies.map { policy in
                    "s-\(policy): { base_url: \"\(upstream.origin)\", cookies: \(policy), response: { serializer: raw } }"
                }
                func sent(_ gateway: GatewayProcess) async throws -> [String?] {
                    let before = upstream.requests.events.count
                    for policy in policies {
                        let task = try await gateway.client().run(#"{"session":"s-\#(policy)"}"#)
                        #expect(task.state == "succeeded")
                    }
                    return upstream.requests.events.dropFirst(before).map { $0["Cookie"] }
                }
                try await withGateway(settings, in: folder) { gateway in
                    let first = try await sent(gateway)
                    #expect(first == [nil, nil, nil])
                    let second = try await sent(gateway)
                    #expect(second == ["kept=1; passing=1", "kept=1; passing=1", nil])
                }
                try await withGateway(settings, in: folder) { gateway in
                    let third = try await sent(gateway)
                    #expect(third == ["kept=1", nil, nil])
                }
            }
        }
    }
}
