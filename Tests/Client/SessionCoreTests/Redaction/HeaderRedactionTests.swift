import ErrandSessionCore
import HTTPTypes
import Testing

@Suite("Redaction of header fields")
struct HeaderRedactionTests {
    @Test("hides secret values, in any case, and retains the order and the other fields")
    func redacts() throws {
        var fields = HTTPFields()
        for (name, value) in [
            ("X-A", "1"), ("authorization", "Bearer s3cret"), ("Set-Cookie", "a=s3cret"), ("SET-COOKIE", "b=s3cret"),
            ("Cookie", "c=s3cret"), ("Proxy-Authorization", "Basic s3cret"), ("X-B", "2"),
        ] {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        #expect(
            HeaderRedaction.redacting(fields).map(\.description) == [
                "X-A: 1", "authorization: [redacted]", "Set-Cookie: [redacted]", "SET-COOKIE: [redacted]",
                "Cookie: [redacted]", "Proxy-Authorization: [redacted]", "X-B: 2",
            ])
    }
}
