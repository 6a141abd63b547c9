import ErrandSettings
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandAuthentication
@testable import ErrandSessionSettings

@Suite("Credentials")
struct CredentialsTests {
    /// Credentials with the header fields and query items that are redacted for them.
    struct Sample: Sendable {
        let credentials: Credentials
        /// The canonical names, sorted.
        var headerNames: [String] = []
        var queryNames: Set<String> = []
        var queryValues: Set<String> = []
    }

    static let redactions: [Sample] = {
        guard let url = try? HTTPURL("https://id.example/s3cret"), let name = HTTPField.Name("X-Api-Key") else {
            return []
        }
        return [
            Sample(credentials: .basic(username: "s3cret", password: "s3cret"), headerNames: ["authorization"]),
            Sample(credentials: .digest(username: "s3cret", password: "s3cret"), headerNames: ["authorization"]),
            Sample(credentials: .bearer(token: "s3cret"), headerNames: ["authorization"]),
            Sample(
                credentials: .apiKey(APIKey(place: .header(name), value: "s3cret")), headerNames: ["x-api-key"]),
            Sample(
                credentials: .apiKey(APIKey(place: .query("key"), value: "s3cret")), queryNames: ["key"],
                queryValues: ["s3cret"]),
            Sample(
                credentials: .oauth2(
                    OAuth2ClientCredentials(
                        tokenURL: url, clientID: "s3cret", clientSecret: "s3cret", scopes: ["a"])),
                headerNames: ["authorization"]),
            Sample(
                credentials: .awsSignature4(
                    AWSCredentials(
                        region: "eu-west-1", service: "s3", accessKey: "s3cret", secretKey: "s3cret",
                        sessionToken: "s3cret")),
                headerNames: ["authorization", "x-amz-security-token"]),
        ]
    }()

    static let samples = redactions.map(\.credentials)

    @Test("Printing, dumping and mirroring credentials show no secret", arguments: samples)
    func redacted(credentials: Credentials) {
        var texts =
            Self.texts(of: credentials) + Self.texts(of: [credentials]) + Self.texts(of: Optional(credentials) as Any)
        texts += Self.texts(of: credentials.content)
        for text in texts {
            #expect(!text.contains("s3cret"))
        }
        #expect("\(credentials)" == "\(credentials.kind) [redacted]")
    }

    static func texts(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(reflecting: value), dumped, "\(Mirror(reflecting: value).children.map(\.value))"]
    }

    @Test("There is a sample of every kind")
    func kinds() {
        #expect(Set(Self.samples.map(\.kind)) == ["basic", "digest", "bearer", "api_key", "oauth2", "aws_sigv4"])
    }

    @Test("A session is configured with each of these kinds, and with no other")
    func variants() {
        guard case .oneOf(let group) = SettingType<Credentials>.credentials.shape else {
            Issue.record("the settings are not one of several")
            return
        }
        #expect(group.settings.map(\.name).sorted() == Set(Self.samples.map(\.kind)).sorted())
    }

    @Test("The header fields and query items to redact depend on the kind", arguments: redactions)
    func secretNames(sample: Sample) {
        let credentials = sample.credentials
        #expect(credentials.secretHeaderNames.map(\.canonicalName).sorted() == sample.headerNames)
        #expect(credentials.secretQueryNames == sample.queryNames)
        #expect(credentials.secretQueryValues == sample.queryValues)
    }

    @Test("OAuth 2 alone calls a server before a request")
    func endpoints() throws {
        let called = Self.samples.filter { !$0.endpoints.isEmpty }
        #expect(called.map(\.kind) == ["oauth2"])
        let url = try HTTPURL("https://id.example/s3cret")
        #expect(
            called.flatMap(\.endpoints) == [
                CredentialsEndpoint(name: "token endpoint", member: "token_url", url: url)
            ])
    }
}
