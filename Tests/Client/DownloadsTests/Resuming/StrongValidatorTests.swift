import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandDownloads

@Suite("A strong validator")
struct StrongValidatorTests {
    private func validator(_ headers: HTTPFields) -> String? {
        StrongValidator(ResponseHead(status: 200, headers: headers))?.text
    }

    @Test("is an entity tag without W/")
    func entityTag() {
        #expect(validator([.eTag: #""v1""#]) == #""v1""#)
        #expect(validator([.eTag: "\"\""]) == "\"\"")
        #expect(validator([.eTag: #"W/"v1""#]) == nil)
        #expect(validator([.eTag: "v1"]) == nil)
        #expect(validator([:]) == nil)
    }

    @Test("is an entity tag of at most 4096 bytes")
    func longTag() {
        let longest = "\"\(String(repeating: "a", count: 4094))\""
        #expect(validator([.eTag: longest]) == longest)
        #expect(StrongValidator(longest)?.text == longest)
        let longer = "\"\(String(repeating: "a", count: 4095))\""
        #expect(validator([.eTag: longer]) == nil)
        #expect(StrongValidator(longer) == nil)
    }

    @Test("is a date at least a minute before the response, without an entity tag")
    func date() {
        let modified = "Mon, 23 Nov 2026 08:00:00 GMT"
        #expect(validator([.lastModified: modified, .date: "Mon, 23 Nov 2026 08:01:00 GMT"]) == modified)
        #expect(validator([.lastModified: modified, .date: "Mon, 23 Nov 2026 08:00:59 GMT"]) == nil)
        #expect(validator([.lastModified: modified]) == nil)
        #expect(validator([.lastModified: "yesterday", .date: "Mon, 23 Nov 2026 08:01:00 GMT"]) == nil)
        let weak: HTTPFields = [
            .eTag: #"W/"v1""#, .lastModified: modified, .date: "Mon, 23 Nov 2026 09:00:00 GMT",
        ]
        #expect(validator(weak) == nil)
    }

    @Test(
        "of stored data is refused if it is weak, or would change the request",
        arguments: [
            (#""v1""#, true), ("Mon, 23 Nov 2026 08:00:00 GMT", true), (#"W/"v1""#, false), ("v1", false), ("", false),
            ("\"a\r\nb\"", false), (#""a"b""#, false), ("Mon, 23 Nov 2026 08:00:00 GMT\r\nX: 1", false),
        ])
    func stored(text: String, isStrong: Bool) {
        #expect((StrongValidator(text) != nil) == isStrong)
    }

    @Test("is valid for a response that states the same or none")
    func comparison() throws {
        let tag = try #require(StrongValidator(#""v1""#))
        #expect(tag.isValid(for: ResponseHead(status: 206, headers: [.eTag: #""v1""#])))
        #expect(tag.isValid(for: ResponseHead(status: 206)))
        #expect(!tag.isValid(for: ResponseHead(status: 206, headers: [.eTag: #""v2""#])))
        #expect(!tag.isValid(for: ResponseHead(status: 206, headers: [.eTag: #"W/"v1""#])))
        let date = try #require(StrongValidator("Mon, 23 Nov 2026 08:00:00 GMT"))
        #expect(date.isValid(for: ResponseHead(status: 206, headers: [.lastModified: date.text])))
        let later: HTTPFields = [.lastModified: "Mon, 23 Nov 2026 08:00:01 GMT"]
        #expect(!date.isValid(for: ResponseHead(status: 206, headers: later)))
    }
}
