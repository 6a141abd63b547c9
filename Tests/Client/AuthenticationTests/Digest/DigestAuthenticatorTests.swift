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

    /// The requests of one attempt.
    private struct Sender {
        let authenticator: DigestAuthenticator
        var request: TransferRequest
        var challenges = AnsweredChallenges()

        /// Authorizes the request as it is sent next.
        mutating func authorize() {
            if !challenges.authorize(&request) {
                request.headers[.authorization] = authenticator.authorization(for: request)
            }
        }

        /// Authorizes the request, and returns its realm, nonce and count.
        mutating func send() throws -> [String?] {
            authorize()
            let value = try #require(request.headers[.authorization])
            let sent = try #require(AuthenticationChallenge.parse(fields: [value]).first)
            return [sent[parameter: "realm"], sent[parameter: "nonce"], sent[parameter: "nc"]]
        }

        /// Returns the reaction to the response.
        mutating func receive(_ head: ResponseHead) -> AuthenticationRetry {
            authenticator.challenge(head, for: request, after: &challenges)
        }
    }

    private func sender(_ url: String = "http://a.example/x") throws -> Sender {
        Sender(authenticator: authenticator, request: try Self.request(url))
    }

    private static let wrong = AuthenticationRetry.giveUp(reason: "The server does not accept the Digest credentials")

    @Test("No authorization is sent before the first challenge; afterwards every request is authorized and counted")
    func preemptive() throws {
        var first = try sender()
        #expect(authenticator.authorization(for: first.request) == nil)
        #expect(first.receive(Self.head(nonce: "n1")) == .retry)
        #expect(try first.send() == ["r", "n1", "00000001"])
        #expect(try first.send() == ["r", "n1", "00000002"])
        var other = try sender("http://a.example/y?z")
        #expect(try other.send() == ["r", "n1", "00000003"])
    }

    @Test("Another origin receives no authorization")
    func origins() throws {
        var sender = try sender()
        #expect(sender.receive(Self.head(nonce: "n1")) == .retry)
        for url in ["http://b.example/x", "https://a.example/x", "http://a.example:81/x"] {
            #expect(authenticator.authorization(for: try Self.request(url)) == nil)
        }
    }

    @Test("A nonce refused at its first use means wrong credentials, and is not used again")
    func refused() throws {
        for nonce in ["n1", "n2"] {
            var sender = try sender()
            #expect(sender.receive(Self.head(nonce: "n1")) == .retry)
            #expect(try sender.send() == ["r", "n1", "00000001"])
            #expect(sender.receive(Self.head(nonce: nonce)) == Self.wrong)
            #expect(authenticator.authorization(for: sender.request) == nil)
        }
    }

    @Test("A stale nonce is replaced by the new one, whose count starts again")
    func stale() throws {
        var sender = try sender()
        #expect(sender.receive(Self.head(nonce: "n1")) == .retry)
        _ = try sender.send()
        #expect(sender.receive(Self.head(nonce: "n2", ", stale=true")) == .retry)
        #expect(try sender.send() == ["r", "n2", "00000001"])
        var later = try self.sender()
        #expect(try later.send() == ["r", "n2", "00000002"])
    }

    @Test("After three retries a server that calls every nonce stale is given up")
    func staleForever() throws {
        var sender = try sender()
        var retries = 0
        while sender.receive(Self.head(nonce: "n\(retries)", ", stale=true")) == .retry {
            _ = try sender.send()
            retries += 1
            try #require(retries < 100)
        }
        #expect(retries == DigestAuthenticator.maxStaleRetries)
    }

    @Test("A server that has forgotten a nonce without saying so gets one more request, and no third")
    func forgotten() throws {
        var first = try sender()
        #expect(first.receive(Self.head(nonce: "n1")) == .retry)
        _ = try first.send()
        var later = try sender()
        #expect(try later.send() == ["r", "n1", "00000002"])
        #expect(later.receive(Self.head(nonce: "n2")) == .retry)
        #expect(try later.send() == ["r", "n2", "00000001"])
        #expect(later.receive(Self.head(nonce: "n3")) == Self.wrong)
    }

    @Test("A later use of a nonce refused with the same nonce means wrong credentials")
    func refusedLater() throws {
        var sender = try sender()
        #expect(sender.receive(Self.head(nonce: "n1")) == .retry)
        _ = try sender.send()
        _ = try sender.send()
        #expect(sender.receive(Self.head(nonce: "n1")) == Self.wrong)
    }

    @Test("The same nonce for several first requests keeps its count")
    func sameNonce() throws {
        var senders = try (0..<3).map { _ in try sender() }
        for index in senders.indices {
            let verdict = senders[index].receive(Self.head(nonce: "n1"))
            #expect(verdict == .retry)
        }
        var counts: [String?] = []
        for index in senders.indices { counts.append(try senders[index].send()[2]) }
        #expect(counts == ["00000001", "00000002", "00000003"])
    }

    @Test("A request for one realm that is challenged for another is resent with that one")
    func realms() throws {
        var sender = try sender()
        #expect(sender.receive(Self.head(nonce: "n1", realm: "r1")) == .retry)
        #expect(try sender.send() == ["r1", "n1", "00000001"])
        #expect(sender.receive(Self.head(nonce: "n2", realm: "r2")) == .retry)
        #expect(try sender.send() == ["r2", "n2", "00000001"])
        #expect(sender.receive(Self.head(nonce: "n1", realm: "r1")) == .retry)
        #expect(try sender.send() == ["r1", "n1", "00000002"])
    }

    // MARK: Several requests at once

    @Test("Each request answers with the nonce of its own challenge, and later ones use the nonce that was named last")
    func ownNonces() throws {
        var (first, second) = (try sender(), try sender())
        #expect(first.receive(Self.head(nonce: "n1")) == .retry)
        #expect(second.receive(Self.head(nonce: "n2")) == .retry)
        var later = try sender()
        #expect(try later.send() == ["r", "n2", "00000002"])
        #expect(try first.send() == ["r", "n1", "00000001"])
        #expect(try second.send() == ["r", "n2", "00000001"])
    }

    @Test("A nonce that is named again keeps its count, even if another was named meanwhile")
    func namedAgain() throws {
        var sent: [[String?]] = []
        for nonce in ["n1", "n2", "n1", "n2"] {
            var sender = try sender()
            #expect(sender.receive(Self.head(nonce: nonce)) == .retry)
            sent.append(try sender.send())
        }
        #expect(
            sent == [
                ["r", "n1", "00000001"], ["r", "n2", "00000001"], ["r", "n1", "00000002"], ["r", "n2", "00000002"],
            ])
    }

    @Test("A nonce that is named again with another opaque value keeps its count, and is answered with that value")
    func namedDifferently() throws {
        for number in 1...2 {
            var sender = try sender()
            #expect(sender.receive(Self.head(nonce: "n1", #", opaque="o\#(number)""#)) == .retry)
            #expect(try sender.send() == ["r", "n1", "0000000\(number)"])
            #expect(sender.request.headers[.authorization]?.contains(#"opaque="o\#(number)""#) == true)
        }
    }

    @Test("A nonce refused after another request has used it proves nothing; the next one is for one request alone")
    func usedUp() throws {
        var sender = try sender()
        #expect(sender.receive(Self.head(nonce: "n1")) == .retry)
        #expect(try sender.send() == ["r", "n1", "00000001"])
        // Another request overtakes the answer.
        var other = try self.sender()
        #expect(try other.send() == ["r", "n1", "00000002"])
        #expect(sender.receive(Self.head(nonce: "n2")) == .retry)
        #expect(try sender.send() == ["r", "n2", "00000001"])
        var later = try self.sender()
        #expect(try later.send() == ["r", "n1", "00000003"])
        #expect(sender.receive(Self.head(nonce: "n3")) == Self.wrong)
    }

    @Test("Wrong credentials are found after two retries, even if other requests use every nonce")
    func wrongAmongOthers() throws {
        var sender = try sender()
        var verdicts: [AuthenticationRetry] = []
        for number in 0...2 {
            verdicts.append(sender.receive(Self.head(nonce: "n\(number)")))
            if number < 2 {
                sender.authorize()
                // The server names the nonce to another request too.
                var other = try self.sender()
                #expect(other.receive(Self.head(nonce: "n\(number)")) == .retry)
            }
        }
        #expect(verdicts == [.retry, .retry, Self.wrong])
    }

    @Test(
        "Valid credentials are accepted by a server that accepts each nonce once, in any order",
        arguments: TestBuild.seeds(20))
    func oneTimeNonces(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var (valid, used): (Set<String>, Set<[String?]>) = ([], [])
        var waiting = try (0..<40).map { _ in (sender: try sender(), requests: 0) }
        var underWay: [(sender: Sender, requests: Int)] = []
        while !waiting.isEmpty || !underWay.isEmpty {
            if !waiting.isEmpty, underWay.count < 8, Bool.random(using: &random) || underWay.isEmpty {
                var next = waiting.remove(at: Int.random(in: waiting.indices, using: &random))
                next.sender.authorize()
                next.requests += 1
                underWay.append(next)
                continue
            }
            var arrived = underWay.remove(at: Int.random(in: underWay.indices, using: &random))
            let field = arrived.sender.request.headers[.authorization]
            let sent = field.flatMap { AuthenticationChallenge.parse(fields: [$0]).first }
            let nonce = sent?[parameter: "nonce"]
            if let sent {
                let isUnused = used.insert([nonce, sent[parameter: "nc"]]).inserted
                #expect(isUnused, "a count was used twice")
            }
            if let nonce, valid.remove(nonce) != nil { continue }
            let fresh = "n\(used.count)-\(random.next())"
            valid.insert(fresh)
            let verdict = arrived.sender.receive(Self.head(nonce: fresh))
            try #require(verdict == .retry)
            try #require(arrived.requests < 3)
            waiting.append(arrived)
        }
    }

    @Test("Concurrent requests have different counts")
    func concurrent() async throws {
        var sender = try sender()
        #expect(sender.receive(Self.head(nonce: "n1")) == .retry)
        let request = sender.request
        let counts = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    authenticator.authorization(for: request)
                        .flatMap { AuthenticationChallenge.parse(fields: [$0]).first?[parameter: "nc"] }
                }
            }
            return await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        // The first count is that of the answer.
        let expected = Set(
            (2...65).map { number -> String? in
                let text = String(number, radix: 16)
                return String(repeating: "0", count: 8 - text.count) + text
            })
        #expect(counts == expected)
    }

    // MARK: Limits

    @Test("Only a limited number of nonces is kept, the latest")
    func bounded() throws {
        for host in 0...DigestAuthenticator.maxNonces {
            var sender = try sender("http://h\(host).example/")
            #expect(sender.receive(Self.head(nonce: "n")) == .retry)
        }
        #expect(authenticator.authorization(for: try Self.request("http://h0.example/")) == nil)
        #expect(authenticator.authorization(for: try Self.request("http://h1.example/")) != nil)
    }

    @Test("Nonces that later requests do not use displace none that they use")
    func kept() throws {
        var sender = try sender("http://b.example/")
        #expect(sender.receive(Self.head(nonce: "n")) == .retry)
        for number in 0...DigestAuthenticator.maxNonces {
            var sender = try self.sender()
            #expect(sender.receive(Self.head(nonce: "n\(number)")) == .retry)
        }
        #expect(authenticator.authorization(for: sender.request) != nil)
    }

    @Test(
        "Without a supported challenge the response is returned", arguments: ["Basic realm=x", "", "Digest x=y"])
    func unanswerable(field: String) throws {
        var sender = try sender()
        let verdict = sender.receive(ResponseHead(status: 401, headers: [.wwwAuthenticate: field]))
        #expect(verdict == .giveUp(reason: "The response has no supported Digest challenge"))
        #expect(sender.challenges.count == 0)
    }

    @Test("Of several challenges the strongest is used")
    func strongest() throws {
        var headers = HTTPFields()
        headers.append(HTTPField(name: .wwwAuthenticate, value: #"Digest realm="r", qop=auth, nonce="weak""#))
        headers.append(
            HTTPField(name: .wwwAuthenticate, value: #"Digest realm="r", qop=auth, nonce="n", algorithm=SHA-256"#))
        var sender = try sender()
        #expect(sender.receive(ResponseHead(status: 401, headers: headers)) == .retry)
        #expect(try sender.send() == ["r", "n", "00000001"])
    }

    @Test(
        "Mutated challenges are answered or given up, and every authorization can be parsed",
        arguments: TestBuild.seeds(20))
    func mutations(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let original = Array(#"Digest realm="r", qop="auth", algorithm=SHA-256-sess, nonce="n", userhash=true"#.utf8)
        var answered = 0
        for _ in 0..<200 {
            var bytes = original
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0x20...0x7E, using: &random)
            var sender = try sender()
            let head = ResponseHead(
                status: 401, headers: [.wwwAuthenticate: String(decoding: bytes, as: UTF8.self)])
            if sender.receive(head) == .retry {
                let sent = try sender.send()
                #expect(sent[0] != nil && sent[1] != nil)
                answered += 1
            }
        }
        #expect(answered > 0 && answered < 200)
    }
}
