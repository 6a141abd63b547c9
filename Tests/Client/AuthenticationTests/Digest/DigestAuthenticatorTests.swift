import ErrandAuthentication
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("DigestAuthenticator")
struct DigestAuthenticatorTests {
    let authenticator = DigestAuthenticator(
        username: "Mufasa", password: "Circle of Life", randomBytes: { [UInt8](repeating: 1, count: $0) })

    static func request(_ url: String = "http://a.example/x") throws -> TransferRequest {
        TransferRequest(url: try HTTPURL(url))
    }

    static func head(nonce: String, realm: String = "r", _ more: String = "") -> ResponseHead {
        ResponseHead(
            status: 401,
            headers: [
                .wwwAuthenticate: #"Digest realm="\#(realm)", qop="auth", algorithm=MD5, nonce="\#(nonce)"\#(more)"#
            ])
    }

    /// Authorizes another request and returns its nonce and count.
    private func next(_ request: inout TransferRequest) throws -> [String?] {
        request.headers[.authorization] = authenticator.authorization(for: request)
        let value = try #require(request.headers[.authorization])
        let sent = try #require(AuthenticationChallenge.parse(fields: [value]).first)
        return [sent[parameter: "realm"], sent[parameter: "nonce"], sent[parameter: "nc"]]
    }

    @Test("No authorization is sent before the first challenge; afterwards every request is authorized and counted")
    func preemptive() throws {
        var request = try Self.request()
        #expect(authenticator.authorization(for: request) == nil)
        #expect(authenticator.challenge(Self.head(nonce: "n1"), for: request, retries: 0) == .retry)
        #expect(try next(&request) == ["r", "n1", "00000001"])
        #expect(try next(&request) == ["r", "n1", "00000002"])
        var other = try Self.request("http://a.example/y?z")
        #expect(try next(&other) == ["r", "n1", "00000003"])
    }

    @Test("Another origin receives no authorization")
    func origins() throws {
        #expect(authenticator.challenge(Self.head(nonce: "n1"), for: try Self.request(), retries: 0) == .retry)
        for url in ["http://b.example/x", "https://a.example/x", "http://a.example:81/x"] {
            #expect(authenticator.authorization(for: try Self.request(url)) == nil)
        }
    }

    @Test("A nonce refused at its first use means wrong credentials, and is not used again")
    func wrong() throws {
        for nonce in ["n1", "n2"] {
            var request = try Self.request()
            #expect(authenticator.challenge(Self.head(nonce: "n1"), for: request, retries: 0) == .retry)
            #expect(try next(&request) == ["r", "n1", "00000001"])
            let again = authenticator.challenge(Self.head(nonce: nonce), for: request, retries: 0)
            #expect(again == .giveUp(reason: "The server does not accept the Digest credentials"))
            #expect(authenticator.authorization(for: request) == nil)
        }
    }

    @Test("A stale nonce is replaced by the new one, whose count starts again")
    func stale() throws {
        var request = try Self.request()
        #expect(authenticator.challenge(Self.head(nonce: "n1"), for: request, retries: 0) == .retry)
        _ = try next(&request)
        let head = Self.head(nonce: "n2", ", stale=true")
        #expect(authenticator.challenge(head, for: request, retries: 0) == .retry)
        #expect(try next(&request) == ["r", "n2", "00000001"])
    }

    @Test("After three retries a server that calls every nonce stale is given up")
    func staleForever() throws {
        var request = try Self.request()
        var retries = 0
        while authenticator.challenge(Self.head(nonce: "n\(retries)", ", stale=true"), for: request, retries: retries)
            == .retry
        {
            _ = try next(&request)
            retries += 1
            try #require(retries < 100)
        }
        #expect(retries == DigestAuthenticator.maxStaleRetries)
    }

    @Test("A server that has forgotten a nonce without saying so gets one more request, and no third")
    func forgotten() throws {
        var request = try Self.request()
        #expect(authenticator.challenge(Self.head(nonce: "n1"), for: request, retries: 0) == .retry)
        _ = try next(&request)
        var later = try Self.request()
        #expect(try next(&later) == ["r", "n1", "00000002"])
        #expect(authenticator.challenge(Self.head(nonce: "n2"), for: later, retries: 0) == .retry)
        // Another request uses the new nonce first, so the number of retries of the attempt must decide.
        _ = try next(&request)
        #expect(try next(&later) == ["r", "n2", "00000002"])
        #expect(
            authenticator.challenge(Self.head(nonce: "n3"), for: later, retries: 1)
                == .giveUp(reason: "The server does not accept the Digest credentials"))
    }

    @Test("A later use of a nonce refused with the same nonce means wrong credentials")
    func refusedLater() throws {
        var request = try Self.request()
        #expect(authenticator.challenge(Self.head(nonce: "n1"), for: request, retries: 0) == .retry)
        _ = try next(&request)
        _ = try next(&request)
        #expect(
            authenticator.challenge(Self.head(nonce: "n1"), for: request, retries: 0)
                == .giveUp(reason: "The server does not accept the Digest credentials"))
    }

    @Test("The same nonce for several first requests keeps its count")
    func sameNonce() throws {
        let requests = try (0..<3).map { _ in try Self.request() }
        var counts: [String?] = []
        for var request in requests {
            #expect(authenticator.challenge(Self.head(nonce: "n1"), for: request, retries: 0) == .retry)
            counts.append(try next(&request)[2])
        }
        #expect(counts == ["00000001", "00000002", "00000003"])
    }

    @Test("A request for one realm that is challenged for another is resent with that one")
    func realms() throws {
        var request = try Self.request()
        #expect(authenticator.challenge(Self.head(nonce: "n1", realm: "r1"), for: request, retries: 0) == .retry)
        _ = try next(&request)
        #expect(authenticator.challenge(Self.head(nonce: "n2", realm: "r2"), for: request, retries: 0) == .retry)
        #expect(try next(&request) == ["r2", "n2", "00000001"])
        #expect(authenticator.challenge(Self.head(nonce: "n1", realm: "r1"), for: request, retries: 1) == .retry)
        #expect(try next(&request) == ["r1", "n1", "00000002"])
    }

    @Test("Only a limited number of protection spaces is kept, the latest")
    func bounded() throws {
        for host in 0...DigestAuthenticator.maxSpaces {
            let request = try Self.request("http://h\(host).example/")
            #expect(authenticator.challenge(Self.head(nonce: "n"), for: request, retries: 0) == .retry)
        }
        #expect(authenticator.authorization(for: try Self.request("http://h0.example/")) == nil)
        #expect(authenticator.authorization(for: try Self.request("http://h1.example/")) != nil)
    }

    @Test(
        "Without a supported challenge the response is returned", arguments: ["Basic realm=x", "", "Digest x=y"])
    func unanswerable(field: String) throws {
        let head = ResponseHead(status: 401, headers: [.wwwAuthenticate: field])
        #expect(
            authenticator.challenge(head, for: try Self.request(), retries: 0)
                == .giveUp(reason: "The response has no supported Digest challenge"))
    }

    @Test("Of several challenges the strongest is used")
    func strongest() throws {
        var headers = HTTPFields()
        headers.append(HTTPField(name: .wwwAuthenticate, value: #"Digest realm="r", qop=auth, nonce="weak""#))
        headers.append(
            HTTPField(name: .wwwAuthenticate, value: #"Digest realm="r", qop=auth, nonce="n", algorithm=SHA-256"#))
        var request = try Self.request()
        let head = ResponseHead(status: 401, headers: headers)
        #expect(authenticator.challenge(head, for: request, retries: 0) == .retry)
        #expect(try next(&request) == ["r", "n", "00000001"])
    }

    @Test("Concurrent requests have different counts")
    func concurrent() async throws {
        let request = try Self.request()
        #expect(authenticator.challenge(Self.head(nonce: "n1"), for: request, retries: 0) == .retry)
        let counts = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    authenticator.authorization(for: request)
                        .flatMap { AuthenticationChallenge.parse(fields: [$0]).first?[parameter: "nc"] }
                }
            }
            return await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        let expected = Set(
            (1...64).map { number -> String? in
                let text = String(number, radix: 16)
                return String(repeating: "0", count: 8 - text.count) + text
            })
        #expect(counts == expected)
    }

    @Test("Mutated challenges are answered or given up, and every authorization can be parsed", arguments: 0..<20)
    func mutations(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let original = Array(#"Digest realm="r", qop="auth", algorithm=SHA-256-sess, nonce="n", userhash=true"#.utf8)
        var answered = 0
        for _ in 0..<200 {
            var bytes = original
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0x20...0x7E, using: &random)
            var request = try Self.request()
            let head = ResponseHead(
                status: 401, headers: [.wwwAuthenticate: String(decoding: bytes, as: UTF8.self)])
            if authenticator.challenge(head, for: request, retries: 0) == .retry {
                let sent = try next(&request)
                #expect(sent[0] != nil && sent[1] != nil)
                answered += 1
            }
        }
        #expect(answered > 0 && answered < 200)
    }
}
