import ErrandConfiguration
import ErrandHTTPServer
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("RequestPipeline")
struct RequestPipelineTests {
    private func pipeline(
        _ tokens: [AuthConfiguration.Token], replacing former: RequestPipeline? = nil,
        configure: (inout GatewayConfiguration) -> Void = { _ in }
    ) throws -> RequestPipeline {
        var configuration = try GatewayFixture.defaults()
        configuration.auth.tokens = tokens
        configuration.server.cors.origins = ["https://console.example"]
        configure(&configuration)
        let routes = [
            APIRoute(.get, "/v1/tasks", needs: .tasksRead) { _ in
                .deferred { ServerResponse(status: .ok, headers: [.eTag: "x"]) }
            },
            APIRoute(.get, "/healthz", needs: .nothing) { _ in .immediate(ServerResponse(status: .ok)) },
            APIRoute(.get, "/metrics", needs: .nothing) { _ in .deferred { ServerResponse(status: .ok) } },
        ]
        return try RequestPipeline(
            configuration, routes: routes, audit: AuditLog(DispatcherFixture.logger), replacing: former)
    }

    private func response(_ pipeline: RequestPipeline, _ path: String = "/v1/tasks", _ lines: String...) async throws
        -> ServerResponse
    {
        await pipeline.admit(try .sample(.get, path, lines: lines)).response(to: [])
    }

    @Test("Responses to a token with a rate have the remaining budget, and a refusal has Retry-After")
    func rate() async throws {
        let pipeline = try pipeline([.sample("ci", rate: "2/h"), .sample("free")])
        let ci = AuthConfiguration.Token.field("ci")
        let first = try await response(pipeline, "/v1/tasks", ci)
        #expect(first.status == .ok)
        #expect(first.headers[.rateLimitPolicy] == #""default";q=2;w=3600"#)
        #expect(first.headers[.rateLimit]?.hasPrefix(#""default";r=1;t="#) == true)
        let missing = try await response(pipeline, "/nothing", ci)
        #expect(missing.status == .notFound)
        #expect(missing.headers[.rateLimit]?.hasPrefix(#""default";r=0;t="#) == true)
        let refused = try await response(pipeline, "/v1/tasks", ci)
        #expect(refused.status == .tooManyRequests)
        #expect(refused.text.contains("/problems/too-many-requests"))
        let wait = try #require(refused.headers[.retryAfter].flatMap { Int($0) })
        #expect((1...1800).contains(wait))
        #expect(refused.headers[.rateLimit]?.hasPrefix(#""default";r=0;t="#) == true)
        #expect(refused.headers[.requestID] != nil)

        let free = try await response(pipeline, "/v1/tasks", AuthConfiguration.Token.field("free"))
        #expect(free.status == .ok)
        #expect(free.headers[.rateLimit] == nil)
        #expect(try await response(pipeline, "/healthz", ci).headers[.rateLimit] == nil, "operations cost nothing")
    }

    @Test("A wrong token counts against no rate")
    func wrongToken() async throws {
        let pipeline = try pipeline([.sample("ci", rate: "1/h")])
        for _ in 0..<5 {
            #expect(try await response(pipeline, "/v1/tasks", "Authorization: Bearer x").status == .unauthorized)
        }
        #expect(try await response(pipeline, "/v1/tasks", AuthConfiguration.Token.field("ci")).status == .ok)
    }

    @Test("A configured origin may read the remaining budget, also in a refusal")
    func cors() async throws {
        let pipeline = try pipeline([.sample("ci", rate: "1/h")])
        let lines = ["Origin: https://console.example", AuthConfiguration.Token.field("ci")]
        for status in [HTTPResponse.Status.ok, .tooManyRequests] {
            let response = try await response(pipeline, "/v1/tasks", lines[0], lines[1])
            #expect(response.status == status)
            #expect(response.headers[.corsAllowOrigin] == "https://console.example")
            #expect(response.headers[.rateLimit] != nil)
        }
        let unknown = try await response(pipeline, "/v1/tasks", lines[0])
        #expect(unknown.status == .unauthorized)
        #expect(unknown.headers[.corsAllowOrigin] == "https://console.example", "a page can tell why")
    }

    @Test("A replacement keeps the budgets of unchanged rates, and applies its own rules")
    func replaced() async throws {
        let former = try pipeline([
            .sample("same", rate: "1/h"), .sample("changed", rate: "1/h"), .sample("gone"), .sample("new scopes"),
        ])
        for name in ["same", "changed"] {
            #expect(try await response(former, "/v1/tasks", AuthConfiguration.Token.field(name)).status == .ok)
        }
        let next = try pipeline(
            [
                .sample("same", rate: "1/h"), .sample("changed", rate: "2/h"), .sample("added", rate: "1/h"),
                .sample("new scopes", [.tasksWrite]),
            ], replacing: former)
        let expected: [(String, HTTPResponse.Status)] = [
            ("same", .tooManyRequests), ("changed", .ok), ("added", .ok), ("gone", .unauthorized),
            ("new scopes", .forbidden),
        ]
        for (name, status) in expected {
            #expect(
                try await response(next, "/v1/tasks", AuthConfiguration.Token.field(name)).status == status, "\(name)")
        }
        #expect(try await response(former, "/v1/tasks", AuthConfiguration.Token.field("gone")).status == .ok)
    }

    @Test("A server that asks for the id of a request gets that of its response")
    func requestID() throws {
        let pipeline = try pipeline([])
        var head = try RequestHead.sample(.get, "/healthz", "Host: localhost")
        head.requestID = pipeline.requestID(of: head)
        #expect(head.requestID?.count == 36)
        #expect(pipeline.immediateResponse(to: head)?.headers[.requestID] == head.requestID)
    }

    @Test("With tokens, a page under a name of its own reads no operation of a gateway that only this machine reaches")
    func rebinding() async throws {
        let addresses = try ["127.0.0.1:8080", "[::1]:8080"].map { try #require(SocketAddress($0)) }
        let unix = SocketAddress.unix(UnixSocketAddress(path: "errand.sock"))
        let pipeline = try pipeline([.sample("ci")]) { configuration in
            configuration.server.listen = addresses + [unix]
            configuration.server.hosts = ["gateway.example"]
        }
        let foreign = "Host: attacker.example:8080"
        for path in ["/metrics", "/healthz"] {
            let refused = try await response(pipeline, path, foreign)
            #expect(refused.status == .misdirectedRequest)
            #expect(refused.text.contains("/problems/misdirected-request"))
            // A page can send any header field to its own name.
            let wrong = try await response(pipeline, path, foreign, "Authorization: Bearer x")
            #expect(wrong.status == .unauthorized)
            let known = try await response(pipeline, path, foreign, AuthConfiguration.Token.field("ci"))
            #expect(known.status == .ok)
            for host in ["localhost:8080", "127.0.0.1", "[::1]:8080", "gateway.example"] {
                #expect(try await response(pipeline, path, "Host: \(host)").status == .ok, "\(host)")
            }
            #expect(try await response(pipeline, path).status == .ok, "no browser leaves the name out")
        }
        #expect(try await response(pipeline, "/v1/tasks", foreign).status == .unauthorized)
    }

    @Test("Operations need no token under any name if other machines reach the gateway too, and always if protected")
    func operationsUnderAnyName() async throws {
        let address = try #require(SocketAddress("192.0.2.7:8080"))
        let reachable = try pipeline([.sample("ci")]) { $0.server.listen.append(address) }
        #expect(try await response(reachable, "/metrics", "Host: any.example").status == .ok)
        let protected = try pipeline([.sample("ci")]) { $0.auth.protectsOperations = true }
        for host in ["any.example", "localhost"] {
            #expect(try await response(protected, "/metrics", "Host: \(host)").status == .unauthorized, "\(host)")
        }
    }

    /// A configuration of clients and names, and the hosts that a page may and may not use with it.
    struct Access: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var hasTokens = false
        var allowsAnonymous = false
        var hosts: [String] = []
        var accepted: [String] = []
        var refused: [String] = []
    }

    @Test(
        "Host must be local, configured or a listening address, unless there are tokens or only unknown names",
        arguments: [
            Access(
                testDescription: "no tokens", accepted: ["localhost:1", "192.0.2.7:8080"],
                refused: ["evil.example", "gateway.example"]),
            Access(
                testDescription: "no tokens, a name", hosts: ["gateway.example"],
                accepted: ["localhost:1", "192.0.2.7:8080", "gateway.example"], refused: ["evil.example"]),
            Access(
                testDescription: "anonymous clients", allowsAnonymous: true, accepted: ["localhost:1", "any.example"]),
            Access(
                testDescription: "anonymous clients, a name", allowsAnonymous: true, hosts: ["gateway.example"],
                accepted: ["localhost:1", "127.0.0.1:8080", "192.0.2.7:8080", "GATEWAY.example:8080"],
                refused: ["evil.example", "192.0.2.8"]),
            Access(testDescription: "tokens", hasTokens: true, accepted: ["any.example"]),
            Access(
                testDescription: "tokens, a name", hasTokens: true, hosts: ["gateway.example"],
                accepted: ["any.example"]),
            Access(
                testDescription: "tokens, anonymous clients without effect, a name", hasTokens: true,
                allowsAnonymous: true, hosts: ["gateway.example"], accepted: ["any.example"]),
        ])
    func hosts(_ access: Access) async throws {
        let address = try #require(SocketAddress("192.0.2.7:8080"))
        let pipeline = try pipeline(access.hasTokens ? [.sample("ci")] : []) { configuration in
            configuration.auth.allowsAnonymous = access.allowsAnonymous
            configuration.server.hosts = access.hosts
            configuration.server.listen = [address]
        }
        for host in access.accepted {
            let response = try await response(pipeline, "/v1/tasks", "Host: \(host)")
            #expect(response.status == (access.hasTokens ? .unauthorized : .ok), "\(host)")
        }
        for host in access.refused {
            let response = try await response(pipeline, "/v1/tasks", "Host: \(host)")
            #expect(response.status == .misdirectedRequest, "\(host)")
        }
    }
}
