import ErrandAuthentication
import ErrandSupport
import Testing

@Suite("AuthenticationChallenge")
struct AuthenticationChallengeTests {
    private typealias Challenge = AuthenticationChallenge

    static func parameters(_ pairs: (String, String)...) -> [AuthenticationChallenge.Parameter] {
        pairs.map { AuthenticationChallenge.Parameter(name: $0.0, value: $0.1) }
    }

    static let examples: [([String], [AuthenticationChallenge])] = [
        // RFC 9110 §11.6.1: two challenges in one field.
        (
            [#"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#],
            [
                AuthenticationChallenge(scheme: "basic", parameters: parameters(("realm", "simple"))),
                AuthenticationChallenge(
                    scheme: "newauth",
                    parameters: parameters(("realm", "apps"), ("type", "1"), ("title", #"Login to "apps""#))),
            ]
        ),
        ([], []), ([""], []), ([" , ,"], []),
        (["Basic"], [AuthenticationChallenge(scheme: "basic")]),
        (["Negotiate, NTLM"], [AuthenticationChallenge(scheme: "negotiate"), AuthenticationChallenge(scheme: "ntlm")]),
        (
            ["Negotiate a87421000492aa874209af8bc028==, Basic realm=x"],
            [
                AuthenticationChallenge(scheme: "negotiate", token68: "a87421000492aa874209af8bc028=="),
                AuthenticationChallenge(scheme: "basic", parameters: parameters(("realm", "x"))),
            ]
        ),
        // One field for each challenge, as most servers send them.
        (
            ["BASIC Realm=\"a\"", "digest NONCE=\"b\""],
            [
                AuthenticationChallenge(scheme: "basic", parameters: parameters(("realm", "a"))),
                AuthenticationChallenge(scheme: "digest", parameters: parameters(("nonce", "b"))),
            ]
        ),
        // Bad whitespace and empty elements (RFC 9110 §5.6.1.2, §5.6.3).
        (
            [",Digest\trealm = \"a\" ,,\tnonce= b ,"],
            [AuthenticationChallenge(scheme: "digest", parameters: parameters(("realm", "a"), ("nonce", "b")))]
        ),
        // Values without the required quotes.
        (
            ["Digest nonce=a+b/c==, realm=me@here, opaque="],
            [
                AuthenticationChallenge(
                    scheme: "digest", parameters: parameters(("nonce", "a+b/c=="), ("realm", "me@here"), ("opaque", ""))
                )
            ]
        ),
        // A comma and the name of a scheme within quotes.
        (
            [#"Digest realm="a, Basic realm=b", qop="auth,auth-int""#],
            [
                AuthenticationChallenge(
                    scheme: "digest", parameters: parameters(("realm", "a, Basic realm=b"), ("qop", "auth,auth-int")))
            ]
        ),
        // A syntax error ends its field, not the others.
        (
            [#"Digest realm="a", nonce="never ends, Basic"#, "Basic"],
            [
                AuthenticationChallenge(scheme: "digest", parameters: parameters(("realm", "a"))),
                AuthenticationChallenge(scheme: "basic"),
            ]
        ),
        (
            [#"Digest realm="a" nonce="b", Basic"#],
            [AuthenticationChallenge(scheme: "digest", parameters: parameters(("realm", "a")))]
        ),
        (["Basic/realm=x"], []), (["(hello)"], []),
    ]

    @Test("Valid and sloppy fields are parsed to their challenges (RFC 9110)", arguments: examples)
    func parsed(fields: [String], challenges: [AuthenticationChallenge]) {
        #expect(AuthenticationChallenge.parse(fields: fields) == challenges)
    }

    @Test("The first of repeated parameters counts")
    func repeated() {
        let challenge = AuthenticationChallenge.parse(fields: ["Basic realm=a, realm=b"]).first
        #expect(challenge?[parameter: "realm"] == "a")
        #expect(challenge?[parameter: "other"] == nil)
    }

    @Test("The number of challenges read from a response is limited")
    func bounded() {
        let schemes = String(repeating: "Basic, ", count: 1000)
        #expect(AuthenticationChallenge.parse(fields: [schemes]).count == AuthenticationChallenge.maxChallenges)
        let many = Array(repeating: "Basic", count: 1000)
        #expect(AuthenticationChallenge.parse(fields: many).count == AuthenticationChallenge.maxChallenges)
        let parameters = "Digest " + (0..<1000).map { "a\($0)=b" }.joined(separator: ",")
        let challenge = AuthenticationChallenge.parse(fields: [parameters]).first
        #expect(challenge?.parameters.count == AuthenticationChallenge.maxParameters)
    }

    @Test(
        "Mutated challenges never exceed the limits, and contain only text of the input",
        arguments: TestBuild.seeds(20))
    func mutations(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let alphabet = Array("aB=,\" \t\\/;é\u{0}".utf8)
        for (fields, _) in Self.examples {
            for field in fields {
                for _ in 0..<50 {
                    var bytes = Array(field.utf8)
                    for _ in 0...Int.random(in: 0..<4, using: &random) where !bytes.isEmpty {
                        let index = Int.random(in: 0..<bytes.count, using: &random)
                        switch Int.random(in: 0..<3, using: &random) {
                        case 0: bytes[index] = alphabet.randomElement(using: &random) ?? 0
                        case 1: bytes.remove(at: index)
                        default: bytes.insert(contentsOf: bytes.prefix(index), at: index)
                        }
                    }
                    let mutant = String(decoding: bytes, as: UTF8.self)
                    let challenges = AuthenticationChallenge.parse(fields: [mutant])
                    let size = challenges.reduce(0) { size, challenge in
                        size + challenge.scheme.utf8.count + (challenge.token68?.utf8.count ?? 0)
                            + challenge.parameters.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
                    }
                    #expect(size <= mutant.utf8.count)
                    #expect(challenges.count <= AuthenticationChallenge.maxChallenges)
                    #expect(challenges.allSatisfy { !$0.scheme.isEmpty && $0.scheme == $0.scheme.lowercased() })
                }
            }
        }
    }
}
