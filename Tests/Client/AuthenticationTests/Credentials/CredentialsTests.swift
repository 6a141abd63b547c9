import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandAuthentication

@Suite("Credentials")
struct CredentialsTests {
    static let samples: [Credentials] = {
        guard let url = try? HTTPURL("https://id.example/s3cret"), let name = HTTPField.Name("X-Api-Key") else {
            return []
        }
        return [
            .basic(username: "s3cret", password: "s3cret"),
            .digest(username: "s3cret", password: "s3cret"),
            .bearer(token: "s3cret"),
            .apiKey(APIKey(place: .header(name), value: "s3cret")),
            .apiKey(APIKey(place: .query("key"), value: "s3cret")),
            .oauth2(OAuth2ClientCredentials(tokenURL: url, clientID: "s3cret", clientSecret: "s3cret", scopes: ["a"])),
            .awsSignature4(
                AWSCredentials(
                    region: "eu-west-1", service: "s3", accessKey: "s3cret", secretKey: "s3cret",
                    sessionToken: "s3cret")),
        ]
    }()

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

    @Test("The header fields and query items to redact depend on the kind")
    func secretNames() throws {
        let names = Self.samples.map { $0.secretHeaderNames.map(\.canonicalName).sorted() }
        #expect(
            names == [
                ["authorization"], ["authorization"], ["authorization"], ["x-api-key"], [], ["authorization"],
                ["authorization", "x-amz-security-token"],
            ])
        #expect(Self.samples.map(\.secretQueryNames) == [[], [], [], [], ["key"], [], []])
        #expect(Self.samples.map(\.secretQueryValues) == [[], [], [], [], ["s3cret"], [], []])
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
