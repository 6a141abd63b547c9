import ErrandAuthentication
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("AWSSignature4")
struct AWSSignature4Tests {
    /// A request of AWS's published test suite for Signature Version 4, and its expected signature.
    ///
    /// Credentials, time and host are the same for all: `AKIDEXAMPLE`, 2015-08-30T12:36:00Z, `example.amazonaws.com`.
    struct Vector: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = HTTPRequest.Method.get
        var target = "/"
        var headers: [(String, String)] = []
        var body = ""
        var signed = "host;x-amz-date"
        let signature: String
    }

    static let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

    static let suite: [Vector] = [
        Vector(
            testDescription: "get-vanilla",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            testDescription: "get-vanilla-query", target: "/?",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            testDescription: "get-vanilla-empty-query-key", target: "/?Param1=value1",
            signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
        Vector(
            testDescription: "get-vanilla-query-order-key-case", target: "/?Param2=value2&Param1=value1",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Vector(
            testDescription: "get-vanilla-query-order-value", target: "/?Param1=value2&Param1=value1",
            signature: "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"),
        Vector(
            testDescription: "get-vanilla-query-unreserved", target: "/?\(unreserved)=\(unreserved)",
            signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
        Vector(
            testDescription: "get-vanilla-utf8-query", target: "/?ሴ=bar",
            signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        Vector(
            testDescription: "get-header-key-duplicate",
            headers: [("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1")],
            signed: "host;my-header1;x-amz-date",
            signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
        Vector(
            testDescription: "get-header-value-order",
            headers: [
                ("My-Header1", "value4"), ("My-Header1", "value1"), ("My-Header1", "value3"), ("My-Header1", "value2"),
            ], signed: "host;my-header1;x-amz-date",
            signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
        Vector(
            testDescription: "get-header-value-trim",
            headers: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
            signed: "host;my-header1;my-header2;x-amz-date",
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Vector(
            testDescription: "get-unreserved", target: "/\(unreserved)",
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        Vector(
            testDescription: "get-relative", target: "/example/..",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            testDescription: "get-relative-relative", target: "/example1/example2/../..",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            testDescription: "get-slash", target: "//",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            testDescription: "get-slash-dot-slash", target: "/./",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            testDescription: "get-slashes", target: "//example//",
            signature: "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"),
        Vector(
            testDescription: "get-slash-pointless-dot", target: "/./example",
            signature: "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"),
        Vector(
            testDescription: "post-vanilla", method: .post,
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Vector(
            testDescription: "post-vanilla-query", method: .post, target: "/?Param1=value1",
            signature: "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
        Vector(
            testDescription: "post-header-key-sort", method: .post, headers: [("My-Header1", "value1")],
            signed: "host;my-header1;x-amz-date",
            signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
        Vector(
            testDescription: "post-x-www-form-urlencoded", method: .post,
            headers: [("Content-Type", "application/x-www-form-urlencoded")], body: "Param1=value1",
            signed: "content-type;host;x-amz-date",
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
        Vector(
            testDescription: "post-x-www-form-urlencoded-parameters", method: .post,
            headers: [("Content-Type", "application/x-www-form-urlencoded; charset=utf8")], body: "Param1=value1",
            signed: "content-type;host;x-amz-date",
            signature: "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"),
    ]

    static let suiteCredentials = AWSCredentials(
        region: "us-east-1", service: "service", accessKey: "AKIDEXAMPLE",
        secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    /// 2015-08-30T12:36:00Z.
    static let suiteTime = AWSTimestamp(secondsSince1970: 1_440_938_160)

    static func fields(_ pairs: [(String, String)]) throws -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in pairs {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return fields
    }

    @Test("Requests of AWS's test suite have their published signatures", arguments: suite)
    func published(vector: Vector) throws {
        var headers = try Self.fields(vector.headers)
        AWSSignature4(Self.suiteCredentials).sign(
            &headers, method: vector.method, url: try HTTPURL("https://example.amazonaws.com\(vector.target)"),
            payload: AWSPayload(Array(vector.body.utf8)), at: Self.suiteTime)
        #expect(
            headers[.authorization]
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + "SignedHeaders=\(vector.signed), Signature=\(vector.signature)")
        #expect(headers[try #require(HTTPField.Name("X-Amz-Date"))] == "20150830T123600Z")
        #expect(headers.count == vector.headers.count + 2)
    }

    @Test("A session token is sent and signed")
    func sessionToken() throws {
        // The suite's post-sts-header-before.
        let token =
            "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD"
            + "8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6"
            + "q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJa"
            + "bIQwj2ICCR/oLxBA=="
        var credentials = Self.suiteCredentials
        credentials.sessionToken = token
        var headers = HTTPFields()
        AWSSignature4(credentials).sign(
            &headers, method: .post, url: try HTTPURL("https://example.amazonaws.com/"), payload: AWSPayload([]),
            at: Self.suiteTime)
        #expect(headers[try #require(HTTPField.Name("x-amz-security-token"))] == token)
        let authorization = try #require(headers[.authorization])
        #expect(authorization.contains("SignedHeaders=host;x-amz-date;x-amz-security-token,"))
        #expect(
            authorization.hasSuffix("Signature=85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"))
    }

    @Test("Signing a signed request again at another time replaces the signature")
    func again() throws {
        var once = try Self.fields([("My-Header1", "value1")])
        let url = try HTTPURL("https://example.amazonaws.com/")
        let signature = AWSSignature4(Self.suiteCredentials)
        var twice = once
        signature.sign(&twice, method: .get, url: url, payload: .init([]), at: AWSTimestamp(secondsSince1970: 0))
        signature.sign(&twice, method: .get, url: url, payload: .init([]), at: Self.suiteTime)
        signature.sign(&once, method: .get, url: url, payload: .init([]), at: Self.suiteTime)
        #expect(once[.authorization] == twice[.authorization])
        #expect(once.count == twice.count)
    }

    @Test("Unknown content is unsigned, or signed with the digest that its owner provides")
    func streams() throws {
        let name = try #require(HTTPField.Name("X-Amz-Content-SHA256"))
        let url = try HTTPURL("https://example.amazonaws.com/")
        var unsigned = HTTPFields()
        AWSSignature4(Self.suiteCredentials).sign(
            &unsigned, method: .put, url: url, payload: .unsigned, at: Self.suiteTime)
        #expect(unsigned[name] == "UNSIGNED-PAYLOAD")
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        var known: HTTPFields = [name: digest]
        var inMemory = known
        AWSSignature4(Self.suiteCredentials).sign(
            &known, method: .put, url: url, payload: .unsigned, at: Self.suiteTime)
        AWSSignature4(Self.suiteCredentials).sign(
            &inMemory, method: .put, url: url, payload: AWSPayload(Array("abc".utf8)), at: Self.suiteTime)
        #expect(known[name] == digest)
        #expect(known == inMemory && known[.authorization] != unsigned[.authorization])
    }
}
