import ErrandAuthentication
import HTTPTypes
import Testing

@testable import ErrandSessionCore

@Suite("Secrets of a session")
struct SessionSecretsTests {
    private static let secrets = SessionSecrets(.apiKey(APIKey(place: .query("api key"), value: "s3cret")))

    @Test(
        "are hidden if a response repeats the query, and the rest of the text is unchanged",
        arguments: [
            ("/a?api%20key=s3cret", "/a?api%20key=[redacted]"),
            ("/a?x=1&api%20key=s3cret&y=2#f", "/a?x=1&api%20key=[redacted]&y=2#f"),
            (
                "<http://e.com/?api%20key=s3cret>; rel=\"next\", </b?p=2&api%20key=s3cret>; rel=last",
                "<http://e.com/?api%20key=[redacted]>; rel=\"next\", </b?p=2&api%20key=[redacted]>; rel=last"
            ),
            ("0; url=/a?api%20key=s3/cret?", "0; url=/a?api%20key=[redacted]"),
            ("/api%20key=visible", "/api%20key=visible"), ("/a?api%20key", "/a?api%20key"), ("?&?=&", "?&?=&"),
            ("/a?%zz=1&api%20key=s3cret", "/a?%zz=1&api%20key=[redacted]"), ("", ""),
        ])
    func responseFields(value: String, shown: String) {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .location, value: value))
        fields.append(HTTPField(name: .setCookie, value: value))
        #expect(Self.secrets.shown(fields).map(\.value) == [shown, "[redacted]"])
    }

    @Test("A field of the session that is marked as sensitive is hidden in requests and responses")
    func sensitiveField() throws {
        let name = try #require(HTTPField.Name("X-Partner"))
        var field = HTTPField(name: name, value: "12345")
        let plain = SessionSecrets(nil, headers: HTTPFields([field]))
        #expect(plain.shown(HTTPFields([field])) == HTTPFields([field]))
        field.indexingStrategy = .disallow
        let secrets = SessionSecrets(nil, headers: HTTPFields([field]))
        #expect(secrets.shown([name: "12345"])[name] == HeaderRedaction.placeholder)
        #expect(secrets.shown([name: "12345"], addingOwn: false)[name] == HeaderRedaction.placeholder)
        #expect(plain.shown([name: "12345"], addingOwn: false)[name] == "12345")
    }
}
