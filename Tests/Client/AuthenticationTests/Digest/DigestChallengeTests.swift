import ErrandAuthentication
import Testing

@Suite("DigestChallenge")
struct DigestChallengeTests {
    static func read(_ field: String) -> DigestChallenge? {
        AuthenticationChallenge.parse(fields: [field]).first.flatMap { DigestChallenge($0) }
    }

    @Test("A challenge of RFC 7616 is parsed with all its parameters")
    func complete() throws {
        let challenge = try #require(
            Self.read(
                #"Digest realm="r", domain="/a", qop="auth-int, AUTH", algorithm=sha-512-256-SESS, nonce="n", "#
                    + #"opaque="o", stale=TRUE, charset=utf-8, userhash=true"#))
        #expect(challenge.realm == "r" && challenge.nonce == "n" && challenge.opaque == "o")
        #expect(challenge.algorithm.name == "SHA-512-256-sess" && challenge.namesAlgorithm)
        #expect(challenge.hasQuality && challenge.isStale && challenge.isUTF8 && challenge.wantsUserHash)
    }

    @Test("A challenge of RFC 2069 has MD5 and no quality of protection")
    func oldest() throws {
        let challenge = try #require(Self.read(#"Digest realm="", nonce="n", stale=false"#))
        #expect(challenge.algorithm.name == "MD5" && !challenge.namesAlgorithm && !challenge.hasQuality)
        #expect(!challenge.isStale && !challenge.isUTF8 && !challenge.wantsUserHash && challenge.opaque == nil)
    }

    @Test(
        "Unsupported challenges are refused",
        arguments: [
            #"Basic realm="r", nonce="n""#, #"Digest nonce="n""#, #"Digest realm="r""#,
            #"Digest realm="r", nonce="n", algorithm=SHA-1"#, #"Digest realm="r", nonce="n", algorithm="-sess""#,
            #"Digest realm="r", nonce="n", qop="auth-int""#, #"Digest realm="r", nonce="n", qop="""#,
            #"Digest realm="r", nonce="n", algorithm=MD5-sess"#,
            #"Digest realm="r", nonce="\#(String(repeating: "n", count: 4097))""#,
        ])
    func refused(field: String) {
        #expect(Self.read(field) == nil)
    }

    @Test("The strongest algorithm comes first; equal ones keep their order")
    func strongest() {
        let challenges = AuthenticationChallenge.parse(fields: [
            #"Digest realm="a", nonce="1", qop=auth, algorithm=MD5, Digest realm="b", nonce="2", algorithm=SHA-256"#,
            #"Digest realm="c", nonce="3", algorithm=FUTURE"#,
            #"Digest realm="d", nonce="4", qop=auth, algorithm=SHA-256-sess, Basic realm="e""#,
            #"Digest realm="f", nonce="5", algorithm=SHA-512-256"#,
        ])
        #expect(DigestChallenge.answerable(of: challenges).map(\.nonce) == ["5", "2", "4", "1"])
    }
}
