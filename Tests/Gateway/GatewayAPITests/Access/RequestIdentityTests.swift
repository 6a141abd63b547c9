import ErrandHTTPServer
import ErrandSessionCore
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("RequestIdentity")
struct RequestIdentityTests {
    private let identity = RequestIdentity(OpenHandler())

    private func id(_ lines: String...) throws -> String? {
        var head = try RequestHead.sample()
        for line in lines { head.headers.append(contentsOf: try RequestHead.sample(.get, "/", line).headers) }
        return identity.immediateResponse(to: head)?.headers[.requestID]
    }

    @Test("keeps a valid id of the client", arguments: ["a", "A-b_c.1:2", String(repeating: "x", count: 128)])
    func kept(sane: String) throws {
        #expect(try id("X-Request-Id: \(sane)") == sane)
    }

    @Test(
        "replaces any other id, and two of them, with a new one",
        arguments: ["a b", "a,b", "ä", "<script>", "", String(repeating: "x", count: 129)])
    func replaced(odd: String) throws {
        let new = try id("X-Request-Id: \(odd)")
        #expect(new != odd)
        #expect(new?.count == 36)
        #expect(try id("X-Request-Id: a", "X-Request-Id: b")?.count == 36)
    }

    @Test("gives each request a different id, visible to inner handlers")
    func fresh() throws {
        let first = try #require(try id())
        #expect(try id() != first)
    }

    @Test("keeps the id that the server has asked for, in the response and in problems of the server")
    func asked() throws {
        for line in ["X-Request-Id: mine", "X-Request-Id: a b"] {
            var head = try RequestHead.sample(.get, "/", line)
            let id = try #require(identity.requestID(of: head))
            #expect((id == "mine") == line.hasSuffix("mine"))
            head.requestID = id
            #expect(identity.immediateResponse(to: head)?.headers[.requestID] == id)
            let problem = identity.response(to: ProblemDetails(.requestTimeout, requestID: id))
            #expect(problem.headers[.requestID] == id)
            #expect(problem.text.contains(#""request_id":"\#(id)""#))
        }
    }

    @Test("gives problems sent by the server itself an id too")
    func serverProblems() {
        let response = identity.response(to: ProblemDetails(.headersTooLarge))
        let id = response.headers[.requestID]
        #expect(id?.count == 36)
        #expect(response.text.contains(#""request_id":"\#(id ?? "")""#))
    }

    @Test("Each header name of the gateway is a valid token, under its own name")
    func names() {
        let names: [HTTPField.Name] = [
            .requestID, .host, .fetchSite, .corsRequestMethod, .corsAllowOrigin, .corsAllowMethods,
            .corsAllowHeaders, .corsExposeHeaders, .corsMaxAge, .prefer, .preferenceApplied, .rateLimit,
            .rateLimitPolicy, .securityPolicy, .contentTypeOptions, .idempotencyKey,
        ]
        #expect(Set(names.map(\.canonicalName)).count == names.count)
        #expect(!names.contains(.from))
    }
}
