import ErrandAuthentication
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandSessionCore

@Suite("Secrets of a session")
struct SessionSecretsTests {
    private static let secrets = SessionSecrets(.apiKey(APIKey(place: .query("api key"), value: "s3cret")))

    @Test(
        "are hidden if a response repeats the query, and the rest of the text is unchanged",
        arguments: [
            ("/a?api%20key=s3cret", "/a?api%20key=[redacted]"), ("/a?api+key=s3cret", "/a?api+key=[redacted]"),
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

    @Test(
        "The value of a query item is hidden where another item repeats it, percent-encoded once or twice",
        arguments: [
            ("/login?next=%2Fv1%2Fx%3Fown%3DlongS3cret", "/login?next=%2Fv1%2Fx%3Fown%3D[redacted]"),
            ("/a?b=longS3cret&c=%6cong%533cret#longS3cret", "/a?b=[redacted]&c=[redacted]#[redacted]"),
            ("/a?b=%256Cong%25533cret&own=longS3cret", "/a?b=[redacted]&own=[redacted]"),
            ("/longS3cre/longS3creT/%", "/longS3cre/longS3creT/%"), ("", ""),
        ])
    func repeatedValue(value: String, shown: String) throws {
        let secrets = SessionSecrets(.apiKey(APIKey(place: .query("own"), value: "longS3cret")))
        #expect(secrets.shown([.location: value])[.location] == shown)
        let url = try HTTPURL("http://e.com/login?next=%2Fx%3Fown%3DlongS3cret")
        #expect(secrets.shown(url) == "http://e.com/login?next=%2Fx%3Fown%3D[redacted]")
    }

    @Test(
        "A value with reserved characters is hidden in each of its forms",
        arguments: ["k/y =100%", "k%2Fy%20%3D100%25", "k%2fy+%3d100%25", "k%252Fy%2520%253D100%2525"])
    func reservedCharacters(form: String) {
        let secrets = SessionSecrets(.apiKey(APIKey(place: .query("own"), value: "k/y =100%")))
        #expect(secrets.shown([.location: "/a?b=\(form)&c=1"])[.location] == "/a?b=[redacted]&c=1")
    }

    @Test("A short value is hidden only in the item with its name")
    func shortValue() {
        #expect(Self.secrets.shown([.location: "/a?b=s3cret"])[.location] == "/a?b=s3cret")
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
