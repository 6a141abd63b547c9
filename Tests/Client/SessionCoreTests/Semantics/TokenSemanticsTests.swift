import ErrandAuthentication
import ErrandLocking
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// OAuth 2 client credentials, by the rules of Alamofire's authentication interceptor.
@Suite("Rules of access tokens", .timeLimit(.hang))
struct TokenSemanticsTests {
    let example: Example
    /// The tokens that were requested.
    let issued = EventLog<Int>()

    init() throws {
        let tokenURL = try HTTPURL("https://id.example/token")
        example = try Example {
            $0.response.serializer = .raw
            $0.credentials = .oauth2(
                OAuth2ClientCredentials(tokenURL: tokenURL, clientID: "id", clientSecret: "s3cret", scopes: ["a", "b"]))
        }
    }

    /// An upstream that accepts the given tokens, and a token endpoint that issues `t1`, `t2` and so on, each valid for
    /// 100 s.
    private func upstream(
        refused: Bool = false, accepting accepts: @escaping @Sendable (String) -> Bool
    ) -> ScriptedTransport {
        let last = Mutex(0)
        return ScriptedTransport { request in
            guard request.url.host == "id.example" else {
                return [.head(accepts(String(request.headers[.authorization]?.dropFirst(7) ?? "")) ? 204 : 401)]
            }
            guard !refused else { return [.head(401), .text(#"{"error":"invalid_client"}"#)] }
            let number = last.withLock { last in
                last += 1
                return last
            }
            issued.append(number)
            return [.head(200), .text(#"{"access_token":"t\#(number)","token_type":"Bearer","expires_in":100}"#)]
        }
    }

    private func run(_ session: Session) async throws -> SessionOutcome {
        await session.run(try session.prepare(TaskRequest()), sink: MemorySink())
    }

    /// Runs a number of tasks at once, which must all succeed.
    private func run(_ count: Int, in session: Session) async throws {
        let codes = try await withThrowingTaskGroup(of: [SessionErrorCode].self) { group in
            for _ in 0..<count { group.addTask { try await run(session).codes } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(codes.isEmpty)
    }

    @Test("a token is requested once, by a form (RFC 6749 §4.4.2), and then used")
    func first() async throws {
        let transport = upstream { $0 == "t1" }
        let session = example.session(over: transport)
        try await run(64, in: session)
        let asked = transport.requests.filter { $0.url.string == "https://id.example/token" }
        #expect(asked.map(\.content) == ["grant_type=client_credentials&scope=a+b"])
        // base64 of id:s3cret.
        #expect(asked.map { $0.headers[.authorization] } == ["Basic aWQ6czNjcmV0"])
        #expect(transport.requests.count == 65)
    }

    @Test(
        "the request for a token has the User-Agent of the session, not that of its header fields",
        arguments: ["errand/1.0", nil])
    func userAgent(userAgent: String?) async throws {
        var example = self.example
        example.configuration.userAgent = userAgent
        example.configuration.headers[.userAgent] = "own/1.0"
        let transport = upstream { _ in true }
        #expect(try await run(example.session(over: transport)).error == nil)
        #expect(transport.requests.map { $0.headers[.userAgent] } == [userAgent, "own/1.0"])
    }

    @Test("64 tasks whose token has expired cause one refresh")
    func expired() async throws {
        let transport = upstream { _ in true }
        let session = example.session(over: transport)
        try await run(1, in: session)
        example.clock.advance(by: .seconds(100))
        try await run(64, in: session)
        #expect(transport.tokenRequests == 2)
        #expect(transport.requests.suffix(64).allSatisfy { $0.headers[.authorization] != "Bearer t1" })
    }

    @Test("64 tasks whose token is rejected with 401 cause one refresh, and are sent again")
    func rejected() async throws {
        let transport = upstream { $0 != "t1" }
        let session = example.session(over: transport)
        try await run(64, in: session)
        #expect(transport.tokenRequests == 2)
    }

    @Test("a token that will soon expire is refreshed while still valid")
    func proactive() async throws {
        let transport = upstream { _ in true }
        let session = example.session(over: transport)
        try await run(1, in: session)
        example.clock.advance(by: .seconds(90))
        try await run(1, in: session)
        // Requested already, although the first is valid for ten more seconds.
        _ = await issued.first(2)
        example.clock.advance(by: .seconds(10))
        try await run(1, in: session)
        #expect(transport.tokenRequests == 2)
        let tokens = transport.requests.compactMap { $0.headers[.authorization] }.filter { $0.hasPrefix("Bearer") }
        #expect(tokens == ["Bearer t1", "Bearer t1", "Bearer t2"])
    }

    @Test("more than 5 refreshes within 30 s are rejected, and allowed again later")
    func excessive() async throws {
        let transport = upstream { _ in false }
        let session = example.session(over: transport)
        // A task requests one token after a rejection, and returns the second rejection; the first requests two.
        for count in 2...5 {
            #expect(try await run(session).numbers == [-1011, -1012])
            #expect(transport.tokenRequests == count)
        }
        let refused = try await run(session)
        #expect(refused.numbers == [-1012] && refused.error?.isRetryable == true)
        #expect(transport.tokenRequests == 5)
        example.clock.advance(by: .seconds(30))
        #expect(try await run(session).numbers == [-1011, -1012])
        #expect(transport.tokenRequests == 6)
    }

    @Test("a path that refuses every token costs one refresh for each of its tasks, and the others keep theirs")
    func oneRefuses() async throws {
        let last = Mutex(0)
        let transport = ScriptedTransport { request in
            guard request.url.host == "id.example" else { return [.head(request.url.path == "/a" ? 401 : 204)] }
            let number = last.withLock { last in
                last += 1
                return last
            }
            return [.head(200), .text(#"{"access_token":"t\#(number)","token_type":"Bearer"}"#)]
        }
        let session = example.session(over: transport)
        for round in 1...8 {
            let refused = await session.run(
                try session.prepare(TaskRequest(path: "/a")), sink: MemorySink())
            #expect(refused.numbers == (round < 5 ? [-1011, -1012] : [-1012]))
            #expect(try await run(session).error == nil)
            // The first task has requested its first token too; later ones may not request any.
            #expect(transport.tokenRequests == min(round + 1, 5))
        }
        // With a token that may not be replaced, a request is not repeated.
        #expect(transport.requests.count { $0.url.path == "/a" } == 8 + 4)
    }

    @Test("a failed refresh fails the task, and no request is sent to the upstream")
    func failed() async throws {
        let transport = upstream(refused: true) { _ in true }
        let outcome = try await run(example.session(over: transport))
        #expect(outcome.numbers == [-1012])
        #expect(transport.requests.count == transport.tokenRequests)
    }
}

extension ScriptedTransport {
    /// The number of requests to the token endpoint.
    fileprivate var tokenRequests: Int { requests.count { $0.url.host == "id.example" } }
}
