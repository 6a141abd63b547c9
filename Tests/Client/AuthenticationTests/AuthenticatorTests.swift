import ErrandAuthentication
import ErrandCryptography
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("Authenticator", .timeLimit(.hang))
struct AuthenticatorTests {
    let clock = ManualClock()

    private func authenticator(
        _ credentials: Credentials, _ transport: ScriptedTransport = ScriptedTransport([])
    ) -> Authenticator {
        Authenticator(
            credentials, transport: transport, clock: clock.clock,
            randomBytes: { [UInt8](repeating: 0, count: $0) })
    }

    static func request(_ url: String = "https://api.example/v1/x?a=1") throws -> TransferRequest {
        TransferRequest(url: try HTTPURL(url), headers: [.accept: "*/*", .authorization: "Basic b2xk"])
    }

    static let unauthorized = ResponseHead(status: 401, headers: [.wwwAuthenticate: #"Basic realm="r""#])

    @Test("Basic credentials are sent in UTF-8 with each request (RFC 7617 §2.1)")
    func basic() async throws {
        let cases: [(Credentials, String)] = [
            // RFC 7617 §2 and §2.1.
            (.basic(username: "Aladdin", password: "open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            (.basic(username: "test", password: "123£"), "Basic dGVzdDoxMjPCow=="),
            (.basic(username: "", password: ""), "Basic Og=="),
        ]
        for (credentials, value) in cases {
            var request = try Self.request()
            try await authenticator(credentials).authorize(&request)
            #expect(request.headers[values: .authorization] == [value])
            #expect(request.headers[.accept] == "*/*")
        }
    }

    @Test("A bearer token is sent as in RFC 6750 §2.1")
    func bearer() async throws {
        var request = try Self.request()
        try await authenticator(.bearer(token: "mF_9.B5f-4.1JqM")).authorize(&request)
        #expect(request.headers[values: .authorization] == ["Bearer mF_9.B5f-4.1JqM"])
    }

    @Test("An API key is sent in its header field or query item, replacing an existing one")
    func apiKey() async throws {
        let name = try #require(HTTPField.Name("X-Api-Key"))
        var inHeader = try Self.request()
        inHeader.headers.append(HTTPField(name: name, value: "old"))
        inHeader.headers.append(HTTPField(name: name, value: "older"))
        let header = authenticator(.apiKey(APIKey(place: .header(name), value: "k 1")))
        try await header.authorize(&inHeader)
        try await header.authorize(&inHeader)
        #expect(inHeader.headers[values: name] == ["k 1"])
        #expect(inHeader.headers[.authorization] == "Basic b2xk")

        var inQuery = try Self.request()
        let query = authenticator(.apiKey(APIKey(place: .query("key"), value: "k 1")))
        try await query.authorize(&inQuery)
        try await query.authorize(&inQuery)
        #expect(inQuery.url.string == "https://api.example/v1/x?a=1&key=k%201")
    }

    @Test("A key in a cookie is sent beside the cookies of the session")
    func cookieKey() async throws {
        var request = try Self.request()
        request.headers.append(HTTPField(name: .cookie, value: "sid=1; lang=de"))
        let key = authenticator(.apiKey(APIKey(place: .header(.cookie), value: "auth=k")))
        try await key.authorize(&request)
        try await key.authorize(&request)
        #expect(request.headers[fields: .cookie].map(\.value) == ["sid=1; lang=de", "auth=k"])
    }

    @Test("Content from a source is signed if its digest is known")
    func signedSource() async throws {
        let name = try #require(HTTPField.Name("X-Amz-Content-SHA256"))
        let content = Array("Param1=value1".utf8)
        for (digest, expected) in [(SHA256.hash(content), nil), (nil, "UNSIGNED-PAYLOAD")] as [([UInt8]?, String?)] {
            var request = TransferRequest(
                method: .put, url: try HTTPURL("https://s3.example/k"),
                body: .source(DigestedSource(sha256: digest, length: Int64(content.count))))
            try await authenticator(.awsSignature4(AWSSignature4Tests.suiteCredentials)).authorize(&request)
            #expect(request.headers[name] == expected)
            var bytes = TransferRequest(method: .put, url: request.url, body: .bytes(content))
            try await authenticator(.awsSignature4(AWSSignature4Tests.suiteCredentials)).authorize(&bytes)
            #expect((request.headers[.authorization] == bytes.headers[.authorization]) == (digest != nil))
        }
    }

    @Test("Requests are signed unchanged, with the time of the clock")
    func awsSignature4() async throws {
        var request = TransferRequest(
            method: .post, url: try HTTPURL("https://example.amazonaws.com/"),
            headers: [.contentType: "application/x-www-form-urlencoded", .userAgent: "errand"],
            body: .bytes(Array("Param1=value1".utf8)))
        try await authenticator(.awsSignature4(AWSSignature4Tests.suiteCredentials)).authorize(&request)
        // The suite's post-x-www-form-urlencoded.
        let signature = "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"
        #expect(try #require(request.headers[.authorization]).hasSuffix("Signature=\(signature)"))
        request.body = .none
        request.headers[.contentType] = nil
        try await authenticator(.awsSignature4(AWSSignature4Tests.suiteCredentials)).authorize(&request)
        // The suite's post-vanilla.
        let bare = "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
        #expect(try #require(request.headers[.authorization]).hasSuffix("Signature=\(bare)"))
    }

    @Test("Credentials that are sent preemptively leave a 401 unchanged")
    func noAnswer() throws {
        for credentials in CredentialsTests.samples where !["digest", "oauth2"].contains(credentials.kind) {
            var challenges = AnsweredChallenges()
            let verdict = authenticator(credentials)
                .challenge(Self.unauthorized, for: try Self.request(), after: &challenges)
            #expect(verdict == .giveUp(reason: nil))
            #expect(challenges.count == 0)
        }
    }

    @Test("Credentials with a problem authorize no request", arguments: CredentialsProblemTests.faulty)
    func problems(credentials: Credentials, members: [String]) async throws {
        let authenticator = authenticator(credentials)
        var request = try Self.request()
        let error = await #expect(throws: AuthenticationError.self) { try await authenticator.authorize(&request) }
        #expect(error?.code == .authenticationFailed)
        #expect(error?.message.contains(try #require(members.first)) == true)
        #expect(request.headers == (try Self.request()).headers)
        var challenges = AnsweredChallenges()
        let verdict = authenticator.challenge(Self.unauthorized, for: request, after: &challenges)
        #expect(verdict == .giveUp(reason: nil))
    }

    @Test("A Digest challenge is answered, and the next request uses the same nonce")
    func digest() async throws {
        let authenticator = authenticator(.digest(username: "Mufasa", password: "Circle of Life"))
        var request = TransferRequest(method: .put, url: try HTTPURL("https://api.example/dir/index.html?q=a%20b"))
        try await authenticator.authorize(&request)
        #expect(request.headers[.authorization] == nil)
        let head = ResponseHead(
            status: 401,
            headers: [
                .wwwAuthenticate:
                    #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="n""#
            ])
        var challenges = AnsweredChallenges()
        let verdict = authenticator.challenge(head, for: request, after: &challenges)
        #expect(verdict == .retry)
        #expect(challenges.count == 1)
        let isAnswered = challenges.authorize(&request)
        #expect(isAnswered)
        // Computed independently, with a client nonce of 18 zero bytes.
        let responses = [
            "6dfeaa15ee660701e3cee2991b0ed3fe0b52497796ace68489651f795e59c922",
            "efba59e60006b13341f959f3c5673a2999e3a09a19f03be07e69e4579063b242",
        ]
        for (number, response) in zip(1..., responses) {
            #expect(
                request.headers[values: .authorization] == [
                    #"Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html?q=a%20b", "#
                        + #"algorithm=SHA-256, nonce="n", nc=0000000\#(number), cnonce="AAAAAAAAAAAAAAAAAAAAAAAA", "#
                        + #"qop=auth, response="\#(response)""#
                ])
            let isAnswered = challenges.authorize(&request)
            #expect(!isAnswered)
            try await authenticator.authorize(&request)
        }
    }

    @Test("A refused token is replaced, and its successor stays in use if it is refused by the same attempt")
    func oauth2() async throws {
        let transport = OAuth2AuthenticatorTests.numbered()
        let authenticator = authenticator(.oauth2(try OAuth2AuthenticatorTests.client()), transport)
        var request = try Self.request()
        var challenges = AnsweredChallenges()
        for retries in 0...1 {
            try await authenticator.authorize(&request)
            #expect(request.headers[values: .authorization] == ["Bearer t\(retries + 1)"])
            let verdict = authenticator.challenge(Self.unauthorized, for: request, after: &challenges)
            let isAnswered = challenges.authorize(&request)
            #expect(!isAnswered)
            let last = AuthenticationRetry.giveUp(reason: "The server does not accept the tokens of the token endpoint")
            #expect(verdict == (retries < 1 ? .retry : last))
        }
        try await authenticator.authorize(&request)
        #expect(request.headers[values: .authorization] == ["Bearer t2"])
    }

    @Test("A token that was refused and already replaced is not requested again")
    func oauth2Late() async throws {
        let transport = OAuth2AuthenticatorTests.numbered()
        let authenticator = authenticator(.oauth2(try OAuth2AuthenticatorTests.client()), transport)
        var (early, late) = (try Self.request(), try Self.request())
        try await authenticator.authorize(&early)
        try await authenticator.authorize(&late)
        for request in [early, late] {
            var challenges = AnsweredChallenges()
            let verdict = authenticator.challenge(Self.unauthorized, for: request, after: &challenges)
            #expect(verdict == .retry)
            try await authenticator.authorize(&late)
        }
        #expect(late.headers[.authorization] == "Bearer t2")
        #expect(transport.requests.count == 2)
    }

    @Test("64 parallel requests with an expired token cause exactly one refresh")
    func oauth2Parallel() async throws {
        let transport = OAuth2AuthenticatorTests.numbered(lifetime: 60)
        let authenticator = authenticator(.oauth2(try OAuth2AuthenticatorTests.client()), transport)
        var first = try Self.request()
        try await authenticator.authorize(&first)
        clock.advance(by: .seconds(61))
        let sent = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    var request = try Self.request()
                    try await authenticator.authorize(&request)
                    return request.headers[.authorization]
                }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(sent == ["Bearer t2"])
        #expect(transport.requests.count == 2)
    }

    @Test("No error of the token endpoint contains a secret")
    func oauth2Errors() async throws {
        let transport = ScriptedTransport([
            .head(ResponseHead(status: 400, reason: "s3cret")),
            .bytes(Array(#"{"error":"s3cret","error_description":"s3cret"}"#.utf8)),
        ])
        let authenticator = authenticator(.oauth2(try OAuth2AuthenticatorTests.client()), transport)
        var request = try Self.request()
        let error = try #require(
            await #expect(throws: AuthenticationError.self) { try await authenticator.authorize(&request) })
        for text in CredentialsTests.texts(of: error) { #expect(!text.contains("s3cret")) }
        #expect("\(error)" == "authentication_failed: The token endpoint returned status 400")
    }

    @Test("Statuses other than 401 are no challenge")
    func otherStatuses() throws {
        let authenticator = authenticator(.digest(username: "u", password: "p"))
        for status in [200, 403, 407] {
            let head = ResponseHead(
                status: status, headers: [.wwwAuthenticate: #"Digest realm="r", nonce="n", qop="auth""#])
            var challenges = AnsweredChallenges()
            let verdict = authenticator.challenge(head, for: try Self.request(), after: &challenges)
            #expect(verdict == .giveUp(reason: nil))
        }
    }

    @Test("An authenticator's description shows no secrets", arguments: CredentialsTests.samples)
    func redacted(credentials: Credentials) async throws {
        let transport = OAuth2AuthenticatorTests.numbered()
        let authenticator = authenticator(credentials, transport)
        var request = try Self.request()
        try await authenticator.authorize(&request)
        for text in CredentialsTests.texts(of: authenticator) {
            #expect(!text.contains("s3cret") && !text.contains("t1"))
        }
        #expect(authenticator.secretHeaderNames == credentials.secretHeaderNames)
        #expect(authenticator.secretQueryNames == credentials.secretQueryNames)
    }
}

/// A source that is only described, and not read.
private final class DigestedSource: BodySource {
    let sha256: [UInt8]?
    let length: Int64?

    init(sha256: [UInt8]?, length: Int64?) {
        self.sha256 = sha256
        self.length = length
    }

    func read(into buffer: inout OutputRawSpan) -> SourceAnswer { .end }
    func rewind() -> Bool { true }
}
