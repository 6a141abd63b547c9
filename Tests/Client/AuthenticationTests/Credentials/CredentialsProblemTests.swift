import ErrandAuthentication
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("CredentialsProblem")
struct CredentialsProblemTests {
    @Test("Valid credentials have no problems", arguments: CredentialsTests.samples)
    func sound(credentials: Credentials) {
        #expect(credentials.problems.isEmpty)
    }

    @Test("Names and passwords may contain everything that RFC 7617 allows")
    func unusual() {
        #expect(Credentials.basic(username: "", password: "").problems.isEmpty)
        #expect(Credentials.basic(username: "Jäsøn Doe", password: "a:b:\u{20AC}").problems.isEmpty)
        #expect(Credentials.digest(username: "a:b", password: "").problems.isEmpty)
    }

    static let faulty: [(Credentials, [String])] = {
        guard let url = try? HTTPURL("https://id.example/token") else { return [] }
        func aws(
            _ region: String = "r", _ service: String = "s", _ access: String = "a", _ secret: String = "k",
            _ token: String? = nil
        ) -> Credentials {
            .awsSignature4(
                AWSCredentials(
                    region: region, service: service, accessKey: access, secretKey: secret, sessionToken: token))
        }
        func oauth2(_ id: String = "i", _ secret: String = "s", _ scopes: [String] = []) -> Credentials {
            .oauth2(OAuth2ClientCredentials(tokenURL: url, clientID: id, clientSecret: secret, scopes: scopes))
        }
        return [
            (.basic(username: "a:b", password: ""), ["username"]),
            (.basic(username: "a:\n", password: "\u{7F}"), ["username", "password", "username"]),
            (.digest(username: "", password: "a\rb"), ["username", "password"]),
            (.bearer(token: ""), ["token"]),
            (.bearer(token: "a b"), ["token"]),
            (.bearer(token: "a\r\nX: y"), ["token"]),
            (.apiKey(APIKey(place: .header(.cookie), value: "")), ["value"]),
            (.apiKey(APIKey(place: .header(.cookie), value: "a\nb")), ["value"]),
            (.apiKey(APIKey(place: .header(.cookie), value: " a")), ["value"]),
            (.apiKey(APIKey(place: .query(""), value: "")), ["query", "value"]),
            (oauth2("", ""), ["client_id", "client_secret"]),
            (oauth2("i", "s", ["good", "", "two words", "quo\"te"]), ["scopes", "scopes", "scopes"]),
            (aws("", "", "", ""), ["region", "service", "access_key", "secret_key"]),
            (aws("eu/west", "s,3", "é", "k", "t\n"), ["region", "service", "access_key", "session_token"]),
        ]
    }()

    @Test("Every problem is reported with its member and without its value", arguments: faulty)
    func faults(credentials: Credentials, members: [String]) {
        #expect(credentials.problems.map(\.member) == members)
        for problem in credentials.problems {
            #expect(!problem.description.contains("\n") && problem.description.hasPrefix(problem.member + " "))
        }
    }
}
