import ErrandAuthentication
import Testing

@Suite("DigestSession")
struct DigestSessionTests {
    private static func authorization(
        _ field: String, _ user: String, _ password: String, nonce: String, target: String, requests: Int = 1
    ) throws -> AuthenticationChallenge {
        let challenge = try #require(DigestChallengeTests.read(field))
        var session = try #require(
            DigestSession(challenge, username: user, password: password, clientNonce: nonce))
        for _ in 0..<requests { #expect(session.countRequest() == true) }
        let value = try #require(session.authorization(method: "GET", target: target))
        return try #require(AuthenticationChallenge.parse(fields: [value]).first)
    }

    /// Returns the challenges of RFC 7616 §3.9.1.
    private static func mufasa(_ algorithm: String, requests: Int = 1) throws -> AuthenticationChallenge {
        try authorization(
            #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\#(algorithm), "#
                + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "#
                + #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#,
            "Mufasa", "Circle of Life", nonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
            target: "/dir/index.html", requests: requests)
    }

    /// MD5 and SHA-256: RFC 7616 §3.9.1; the others computed independently for the same challenge.
    static let responses: [(String, String)] = [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("MD5-sess", "e783283f46242139c486a698fec7211d"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
        ("SHA-512-256", "430d05014cecc49cab6fbe03176d41a1da86cbfe24a16580e22aaad928d960d0"),
        ("SHA-512-256-sess", "3f2a34f923c38b0fb26dce2fdfc2ce326c23cecf86fbb1444f3e51fbbc2cb92e"),
    ]

    @Test("The example of RFC 7616 §3.9.1 is reproduced with every algorithm", arguments: responses)
    func published(algorithm: String, response: String) throws {
        let answer = try Self.mufasa(algorithm)
        #expect(
            answer.parameters
                == AuthenticationChallengeTests.parameters(
                    ("username", "Mufasa"), ("realm", "http-auth@example.org"), ("uri", "/dir/index.html"),
                    ("algorithm", algorithm), ("nonce", "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"),
                    ("nc", "00000001"), ("cnonce", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"), ("qop", "auth"),
                    ("response", response), ("opaque", "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS")))
    }

    @Test("The example of RFC 7616 §3.9.2, as corrected by erratum 4897, uses a digest of the user name")
    func userHash() throws {
        let answer = try Self.authorization(
            #"Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, "#
                + #"nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", "#
                + #"opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true"#,
            "Jäsøn Doe", "Secret, or not?", nonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v",
            target: "/doe.json")
        #expect(
            answer[parameter: "username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
        #expect(
            answer[parameter: "response"] == "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5")
        #expect(answer[parameter: "userhash"] == "true")
    }

    @Test("The example of RFC 2617 §3.5 is reproduced without an algorithm, as the challenge names none")
    func withoutAlgorithm() throws {
        let answer = try Self.authorization(
            #"Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", "#
                + #"opaque="5ccc069c403ebaf9f0171e9517f40e41""#,
            "Mufasa", "Circle Of Life", nonce: "0a4f113b", target: "/dir/index.html")
        #expect(answer[parameter: "response"] == "6629fae49393a05397450978507c4ef1")
        #expect(answer[parameter: "algorithm"] == nil)
    }

    @Test("Without quality of protection the authorization is that of RFC 2069, without count and client nonce")
    func withoutQuality() throws {
        let answer = try Self.authorization(
            #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#,
            "Mufasa", "Circle Of Life", nonce: "0a4f113b", target: "/dir/index.html")
        #expect(answer.parameters.map(\.name) == ["username", "realm", "uri", "nonce", "response"])
        #expect(answer[parameter: "response"] == "670fd8c2df070c60b045671b8b24ff02")
    }

    @Test("Requests are counted in eight hexadecimal digits, and each count has another response")
    func counted() throws {
        let answers = try [1, 2, 16].map { try Self.mufasa("MD5", requests: $0) }
        #expect(answers.map { $0[parameter: "nc"] } == ["00000001", "00000002", "00000010"])
        #expect(Set(answers.map { $0[parameter: "response"] }).count == 3)
    }

    @Test("A non-ASCII user name is encoded by RFC 8187 if the server supports UTF-8, and otherwise unchanged")
    func userNames() throws {
        let utf8 = try Self.authorization(
            #"Digest realm="r", nonce="n", qop=auth, charset=UTF-8"#, "Jäsøn Doe", "p", nonce: "c", target: "/")
        #expect(utf8[parameter: "username*"] == "UTF-8''J%C3%A4s%C3%B8n%20Doe")
        #expect(utf8[parameter: "username"] == nil)
        let plain = try Self.authorization(
            #"Digest realm="r", nonce="n", qop=auth"#, "Jäsøn Doe", "p", nonce: "c", target: "/")
        #expect(plain[parameter: "username"] == "Jäsøn Doe")
    }

    @Test("Quotes and backslashes in names and targets do not end their strings")
    func quoted() throws {
        let answer = try Self.authorization(
            #"Digest realm="a\"b\\c", nonce="n\"", opaque="\\", qop=auth"#, #"u", nc=00000009, x=""#, "p", nonce: "c",
            target: "/?q=1")
        #expect(answer[parameter: "realm"] == #"a"b\c"#)
        #expect(answer[parameter: "nonce"] == #"n""#)
        #expect(answer[parameter: "opaque"] == #"\"#)
        #expect(answer[parameter: "username"] == #"u", nc=00000009, x=""#)
        #expect(answer[parameter: "nc"] == "00000001")
    }

    @Test("A session's description shows no secret")
    func redacted() throws {
        let challenge = try #require(DigestChallengeTests.read(#"Digest realm="r", nonce="n""#))
        let session = try #require(
            DigestSession(challenge, username: "s3cret", password: "s3cret", clientNonce: "s3cret"))
        for text in CredentialsTests.texts(of: session) { #expect(!text.contains("s3cret")) }
        #expect("\(session)" == "MD5 digest [redacted]")
    }
}
