import ErrandAuthentication
import ErrandLocking
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// The credentials that a session sends.
///
/// The expected values are computed with Python's `base64`, `hashlib` and `hmac`.
@Suite("Rules of credentials", .timeLimit(.hang))
struct CredentialSemanticsTests {
    private func example(_ credentials: Credentials, _ base: String = "http://e.com/") throws -> Example {
        try Example(base) {
            $0.credentials = credentials
            $0.response.serializer = .raw
        }
    }

    @Test(
        "AFNetworking: Basic is sent preemptively, from user and password in UTF-8",
        arguments: [
            ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("test", "123£", "Basic dGVzdDoxMjPCow=="),
            ("naïve", "påss:wörd", "Basic bmHDr3ZlOnDDpXNzOnfDtnJk"), ("user", "", "Basic dXNlcjo="),
        ])
    func basic(username: String, password: String, value: String) async throws {
        let (_, requests) = try await example(.basic(username: username, password: password))
            .exchange(responses: [[.head(204)]])
        #expect(requests.map { $0.headers[.authorization] } == [value])
    }

    @Test(
        "a key or token is sent in its place",
        arguments: [
            ("a bearer token", .bearer(token: "t0ken"), "http://e.com/?a=1", ["Authorization: Bearer t0ken"]),
            (
                "a key in a header field", .apiKey(APIKey(place: .header(.accept), value: "k")), "http://e.com/?a=1",
                ["Accept: k"]
            ),
            (
                "a key in the query, escaped", .apiKey(APIKey(place: .query("api key"), value: "a&b")),
                "http://e.com/?a=1&api%20key=a%26b", []
            ),
        ] as [(String, Credentials, String, [String])])
    func keys(rule: String, credentials: Credentials, url: String, headers: [String]) async throws {
        let (_, requests) = try await example(credentials)
            .exchange(TaskRequest(path: "?a=1"), responses: [[.head(204)]])
        #expect(requests.map(\.url.string) == [url], "\(rule)")
        #expect(requests.first?.headers.map(\.description) == headers, "\(rule)")
    }

    @Test(
        "Alamofire: Digest answers a challenge (RFC 7616, and RFC 2069 without quality of protection)",
        arguments: [
            ("MD5", "", "1949323746fe6a43ef61f9606e7febea"),
            ("SHA-256", ", algorithm=SHA-256", "89381827616a396139e299fae10b3a81aaa7bb9e04bee0dcb56ca48dd58af998"),
        ])
    func digest(rule: String, algorithm: String, response: String) async throws {
        let challenge =
            #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="o""# + algorithm
        let (outcome, requests) = try await example(.digest(username: "Mufasa", password: "CircleOfLife"))
            .exchange(
                TaskRequest(path: "dir/index.html"),
                responses: [[.head(401, [.wwwAuthenticate: challenge])], [.head(204)]])
        #expect(outcome.error == nil)
        #expect(requests.map { $0.headers.contains(.authorization) } == [false, true], "\(rule)")
        let answer = try #require(requests.last?.headers[.authorization])
        #expect(answer.hasPrefix(#"Digest username="Mufasa", realm="testrealm@host.com", uri="/dir/index.html""#))
        #expect(answer.contains("response=\"\(response)\"") && answer.contains(#"opaque="o""#), "\(answer)")
    }

    @Test(
        "Alamofire: rejected credentials return the 401",
        arguments: [
            (.basic(username: "u", password: "p"), 1, [-1011]),
            // The underlying error states the reason for which Digest cannot answer.
            (.digest(username: "u", password: "p"), 2, [-1011, -1012]),
        ] as [(Credentials, Int, [Int])])
    func refused(credentials: Credentials, requestCount: Int, numbers: [Int]) async throws {
        let challenge: HTTPFields = [.wwwAuthenticate: #"Digest realm="r", nonce="n", qop="auth""#]
        let (outcome, requests) = try await example(credentials)
            .exchange(responses: [[.head(401, challenge), .text("who?")]])
        #expect(outcome.numbers == numbers)
        #expect(outcome.response?.body?.size == 4)
        #expect(requests.count == requestCount)
    }

    /// `get-vanilla` of the published test suite.
    @Test("AWS Signature 4 signs each request with its time")
    func awsSignature4() async throws {
        let credentials = AWSCredentials(
            region: "us-east-1", service: "service", accessKey: "AKIDEXAMPLE",
            secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
        let (_, requests) = try await example(.awsSignature4(credentials), "https://example.amazonaws.com/")
            .exchange(responses: [[.head(204)]])
        let date = try #require(HTTPField.Name("X-Amz-Date"))
        #expect(requests.map { $0.headers[date] } == ["20150830T123600Z"])
        #expect(
            requests.map { $0.headers[.authorization] } == [
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                    + "SignedHeaders=host;x-amz-date, "
                    + "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
            ])
    }

    @Test(
        "credentials are sent to the session's own origin, unless a task sets its own",
        arguments: [
            ("the origin", "http://e.com/", "x", [], true), ("another", "http://e.com/", "http://o.com/", [], false),
            ("no base URL", nil, "http://e.com/", [], false),
            ("the task sets its own", "http://e.com/", "x", [TaskHeader("authorization", "own")], false),
            ("the task removes it", "http://e.com/", "x", [TaskHeader("Authorization", nil)], false),
        ] as [(String, String?, String, [TaskHeader], Bool)])
    func whereTo(rule: String, base: String?, path: String, headers: [TaskHeader], isProved: Bool) async throws {
        let example = try Example(base) {
            $0.credentials = .bearer(token: "t0ken")
            $0.urlScope = .any
        }
        let (_, requests) = try await example.exchange(
            TaskRequest(path: path, headers: headers), responses: [[.head(204)]])
        #expect((requests.first?.headers[.authorization] == "Bearer t0ken") == isProved, "\(rule)")
    }

    @Test(
        "no secret is shown",
        arguments: [
            (.bearer(token: "s3cret"), "http://e.com/", ["Authorization: [redacted]"]),
            (.apiKey(APIKey(place: .query("key"), value: "s3cret")), "http://e.com/?key=[redacted]", []),
        ] as [(Credentials, String, [String])])
    func secrets(credentials: Credentials, url: String, headers: [String]) throws {
        let session = try example(credentials).session(over: ScriptedTransport([]))
        let prepared = try session.prepare(TaskRequest())
        #expect(prepared.shownURL == url)
        #expect(prepared.shownHeaders.map(\.description) == headers)
        #expect(!prepared.curlCommand.contains("s3cret"))
    }
}
