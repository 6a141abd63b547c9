import Configuration
import HTTPServer
import HTTPTypes
import Testing

@testable import Gateway

@Suite("FrontDoor")
struct FrontDoorTests {
    private func door(_ tokens: [AuthConfiguration.Token], replacing former: FrontDoor? = nil) throws -> FrontDoor {
        var configuration = try GatewayFixture.defaults()
        configuration.auth.tokens = tokens
        configuration.server.cors.origins = ["https://console.example"]
        let routes = [
            APIRoute(.get, "/v1/tasks", needs: .tasksRead) { _ in
                .bodyless { ServerResponse(status: .ok, headers: [.eTag: "x"]) }
            },
            APIRoute(.get, "/healthz", needs: .nothing) { _ in .answer(ServerResponse(status: .ok)) },
        ]
        return try FrontDoor(
            configuration, routes: routes, audit: AuditLog(DispatcherFixture.logger), replacing: former)
    }

    private func answer(_ door: FrontDoor, _ path: String = "/v1/tasks", _ lines: String...) async throws
        -> ServerResponse
    {
        switch door.admit(try .sample(.get, path, lines: lines)) {
        case .answer(let answer): return answer
        case .bodyless(let respond): return await respond()
        default:
            Issue.record("neither answered nor without a body")
            return ServerResponse(status: .internalServerError)
        }
    }

    @Test("Every answer to a token with a rate says what is left of it, and the one too many when to come again")
    func rate() async throws {
        let door = try door([.sample("ci", rate: "2/h"), .sample("free")])
        let ci = AuthConfiguration.Token.field("ci")
        let first = try await answer(door, "/v1/tasks", ci)
        #expect(first.status == .ok)
        #expect(first.headers[.rateLimitPolicy] == #""default";q=2;w=3600"#)
        #expect(first.headers[.rateLimit]?.hasPrefix(#""default";r=1;t="#) == true)
        let missing = try await answer(door, "/nothing", ci)
        #expect(missing.status == .notFound)
        #expect(missing.headers[.rateLimit]?.hasPrefix(#""default";r=0;t="#) == true)
        let refused = try await answer(door, "/v1/tasks", ci)
        #expect(refused.status == .tooManyRequests)
        #expect(refused.text.contains("/problems/too-many-requests"))
        let wait = try #require(refused.headers[.retryAfter].flatMap { Int($0) })
        #expect((1...1800).contains(wait))
        #expect(refused.headers[.rateLimit]?.hasPrefix(#""default";r=0;t="#) == true)
        #expect(refused.headers[.requestID] != nil)

        let free = try await answer(door, "/v1/tasks", AuthConfiguration.Token.field("free"))
        #expect(free.status == .ok)
        #expect(free.headers[.rateLimit] == nil)
        #expect(try await answer(door, "/healthz", ci).headers[.rateLimit] == nil, "operations cost nothing")
    }

    @Test("A wrong token costs nobody's rate")
    func wrongToken() async throws {
        let door = try door([.sample("ci", rate: "1/h")])
        for _ in 0..<5 {
            #expect(try await answer(door, "/v1/tasks", "Authorization: Bearer x").status == .unauthorized)
        }
        #expect(try await answer(door, "/v1/tasks", AuthConfiguration.Token.field("ci")).status == .ok)
    }

    @Test("A configured origin may read what is left, also of a refusal")
    func cors() async throws {
        let door = try door([.sample("ci", rate: "1/h")])
        let lines = ["Origin: https://console.example", AuthConfiguration.Token.field("ci")]
        for status in [HTTPResponse.Status.ok, .tooManyRequests] {
            let answer = try await answer(door, "/v1/tasks", lines[0], lines[1])
            #expect(answer.status == status)
            #expect(answer.headers[.corsAllowOrigin] == "https://console.example")
            #expect(answer.headers[.rateLimit] != nil)
        }
        let unknown = try await answer(door, "/v1/tasks", lines[0])
        #expect(unknown.status == .unauthorized)
        #expect(unknown.headers[.corsAllowOrigin] == "https://console.example", "a page can tell why")
    }

    @Test("A door in the place of another keeps what is left of each rate that has not changed, and its own rules")
    func replaced() async throws {
        let former = try door([
            .sample("same", rate: "1/h"), .sample("changed", rate: "1/h"), .sample("gone"), .sample("new scopes"),
        ])
        for name in ["same", "changed"] {
            #expect(try await answer(former, "/v1/tasks", AuthConfiguration.Token.field(name)).status == .ok)
        }
        let next = try door(
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
                try await answer(next, "/v1/tasks", AuthConfiguration.Token.field(name)).status == status, "\(name)")
        }
        #expect(try await answer(former, "/v1/tasks", AuthConfiguration.Token.field("gone")).status == .ok)
    }

    @Test("Without tokens Host must name this machine, with them any")
    func hosts() async throws {
        #expect(try await answer(door([]), "/v1/tasks", "Host: evil.example").status == .misdirectedRequest)
        #expect(try await answer(door([]), "/v1/tasks", "Host: localhost:1").status == .ok)
        let closed = try door([.sample("ci")])
        #expect(try await answer(closed, "/v1/tasks", "Host: evil.example").status == .unauthorized)
    }
}
