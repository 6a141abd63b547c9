import ErrandAuthentication
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandSessionSettings

@Suite("Credentials in the configuration")
struct CredentialsSettingsTests {
    /// Returns the credentials of a session.
    private static func read(_ yaml: String, environment: [String: String] = [:]) throws -> Credentials? {
        let text = "sessions: {a: {base_url: 'http://a/', credentials: \(yaml)}}"
        return try Sample.read(text, environment: environment).session(named: "a")?.credentials
    }

    @Test("Each kind is read with all of its values")
    func kinds() throws {
        #expect(try Self.read("null") == nil)
        #expect(try Self.read("{basic: {username: u, password: p}}") == .basic(username: "u", password: "p"))
        #expect(try Self.read("{digest: {username: u, password: p}}") == .digest(username: "u", password: "p"))
        #expect(try Self.read("{bearer: {token: 12345}}") == .bearer(token: "12345"))
        #expect(
            try Self.read("{api_key: {header: X-Key, value: v}}")
                == .apiKey(APIKey(place: .header(try #require(HTTPField.Name("X-Key"))), value: "v")))
        #expect(
            try Self.read("{api_key: {query: 'k y', value: v}}")
                == .apiKey(APIKey(place: .query("k y"), value: "v")))
        let tokenURL = try HTTPURL("https://id.example/token")
        #expect(
            try Self.read(
                "{oauth2: {token_url: 'https://id.example/token', client_id: c, client_secret: s, scopes: [r, w]}}")
                == .oauth2(
                    OAuth2ClientCredentials(tokenURL: tokenURL, clientID: "c", clientSecret: "s", scopes: ["r", "w"])))
        #expect(
            try Self.read("{oauth2: {token_url: 'https://id.example/token', client_id: c, client_secret: s}}")
                == .oauth2(OAuth2ClientCredentials(tokenURL: tokenURL, clientID: "c", clientSecret: "s")))
        #expect(
            try Self.read("{aws_sigv4: {region: r, service: s3, access_key: a, secret_key: s, session_token: t}}")
                == .awsSignature4(
                    AWSCredentials(region: "r", service: "s3", accessKey: "a", secretKey: "s", sessionToken: "t")))
    }

    @Test("A secret comes from the environment")
    func interpolation() throws {
        let credentials = try Self.read("{bearer: {token: '${TOKEN}'}}", environment: ["TOKEN": "abc"])
        #expect(credentials == .bearer(token: "abc"))
    }

    @Test("A session's credentials replace the inherited ones as a whole, and null removes them")
    func inheritance() throws {
        let configuration = try Sample.read(
            """
            session_defaults: {credentials: {basic: {username: u, password: p}}}
            sessions:
              inherits: {base_url: "http://a/"}
              replaces: {base_url: "http://a/", credentials: {bearer: {token: t}}}
              removes: {url_scope: any, credentials: null}
            """)
        #expect(configuration.session(named: "inherits")?.credentials == .basic(username: "u", password: "p"))
        #expect(configuration.session(named: "replaces")?.credentials == .bearer(token: "t"))
        #expect(configuration.session(named: "removes")?.credentials == nil)
    }

    static let wrong: [ProblemRow] = [
        .session("credentials: {}", "4:18: sessions.a.credentials: \(one), found none"),
        .session("credentials: secret", "4:18: sessions.a.credentials: expected a mapping, found text"),
        .session(
            "credentials: {basic: {username: u, password: p}, bearer: {token: t}}",
            "4:18: sessions.a.credentials: \(one), found basic and bearer"),
        .session(
            "credentials: {basci: {username: u}}",
            "4:19: sessions.a.credentials.basci: unknown setting; did you mean basic?"),
        .session(
            "credentials: {basic: {username: u}}", "4:26: sessions.a.credentials.basic: password is required"),
        .session("credentials: {bearer: }", "4:27: sessions.a.credentials.bearer: token is required"),
        .session(
            "credentials: {bearer: {token: ''}}",
            "4:35: sessions.a.credentials.bearer.token: expected a secret, found nothing"),
        .session(
            "credentials: {basic: {username: 'a:b', password: p}}",
            "4:37: sessions.a.credentials.basic.username: contains a colon, which it must not (RFC 7617 §2)"),
        .session(
            "credentials: {digest: {username: u, password: \"S\\x01\"}}",
            "4:51: sessions.a.credentials.digest.password: contains a control character"),
        .session(
            "credentials: {bearer: {token: 'SECRET TOKEN'}}",
            "4:35: sessions.a.credentials.bearer.token: contains a character that is not visible ASCII"),
        .session(
            "credentials: {api_key: {value: v}}",
            "4:28: sessions.a.credentials.api_key: expected either header or query, found neither"),
        .session(
            "credentials: {api_key: {header: X, query: q, value: v}}",
            "4:47: sessions.a.credentials.api_key.query: expected either header or query, found both"),
        .session(
            "credentials: {api_key: {header: Host, value: v}}",
            "4:37: sessions.a.credentials.api_key.header: Host is set from the URL"),
        .session(
            "credentials: {api_key: {header: 'a b', value: v}}",
            "4:37: sessions.a.credentials.api_key.header: expected a header name such as X-Api-Key, found \"a b\""),
        .session(
            "credentials: {api_key: {header: X-Key, value: ' v'}}",
            "4:51: sessions.a.credentials.api_key.value: begins or ends with a space, which is lost in a header field"),
        .session(
            "headers: {x-key: w}\n    credentials: {api_key: {header: X-Key, value: v}}",
            "5:18: sessions.a.credentials: the credentials set the header x-key, which is also in headers"),
        .session(
            "headers: {Authorization: SECRET}\n    credentials: {bearer: {token: t}}",
            "5:18: sessions.a.credentials: the credentials set the header Authorization, which is also in headers"),
        .session(
            "credentials: {oauth2: {client_id: c, client_secret: s}}",
            "4:27: sessions.a.credentials.oauth2: token_url is required"),
        .session(
            "credentials: {oauth2: {token_url: ftp, client_id: c, client_secret: s}}",
            "4:39: sessions.a.credentials.oauth2.token_url: expected an absolute http or https URL: "
                + "The URL is relative, and there is no base URL; begin it with https://"),
        .session(
            "credentials: {oauth2: {token_url: 'https://a/', client_id: c, client_secret: s, scopes: ['a b']}}",
            "4:93: sessions.a.credentials.oauth2.scopes: contains a character invalid in a scope (RFC 6749 §3.3)"),
        .session(
            "credentials: {aws_sigv4: {region: a/b, service: s3, access_key: k, secret_key: s}}",
            "4:39: sessions.a.credentials.aws_sigv4.region: contains a slash or a comma"),
        ProblemRow(
            "sessions: {a: {url_scope: any, credentials: {bearer: {token: t}}}}",
            "1:45: sessions.a.credentials: credentials require base_url, because they are sent to that origin only"),
        ProblemRow(
            "session_defaults: {credentials: {bearer: {token: t}}}\nsessions: {a: {url_scope: any}}",
            "2:15: sessions.a.credentials: credentials require base_url, because they are sent to that origin only"),
    ]

    private static let one = "expected exactly one of basic, digest, bearer, api_key, oauth2, aws_sigv4"

    @Test("Problems are reported with their location, and without secrets", arguments: wrong)
    func problems(row: ProblemRow) {
        row.check()
        #expect(!Sample.problems(row.yaml).joined().contains("SECRET"))
    }

    static let secrets = [
        "basic: {username: shown, password: SECRET}",
        "digest: {username: shown, password: SECRET}",
        "basic: {username: SECRET, password: ''}",
        "bearer: {token: SECRET}",
        "api_key: {header: shown, value: SECRET}",
        "api_key: {query: shown, value: SECRET}",
        "oauth2: {token_url: 'http://shown/', client_id: c, client_secret: SECRET}",
        "aws_sigv4: {region: shown, service: s, access_key: k, secret_key: SECRET, session_token: SECRET}",
    ]

    @Test("The printed credentials have the kind and its public values, but no secret", arguments: secrets)
    func printing(yaml: String) throws {
        let text = "sessions: {a: {base_url: 'http://a/', credentials: {\(yaml)}}}"
        let printed = Sample.printed(try Sample.read(text))
        #expect(!printed.contains("SECRET"))
        #expect(printed.contains("[redacted]"))
        #expect(printed.contains("shown") == yaml.contains("shown"))
        let kind = try #require(yaml.split(separator: ":").first)
        #expect(printed.contains("\n      \(kind):"))
    }

    @Test("A password is empty only if the file itself says so")
    func emptyPassword() throws {
        func text(_ password: String) -> String {
            "sessions: {a: {base_url: 'http://a/', credentials: {basic: {username: key, password: \(password)}}}}"
        }
        let session = try #require(try Sample.read(text("''")).session(named: "a"))
        #expect(session.credentials == .basic(username: "key", password: ""))
        for password in ["'${EMPTY}'", "~"] {
            #expect(Sample.problems(text(password), environment: ["EMPTY": ""]).count == 1, "\(password)")
        }
    }
}
