import ErrandHTTPGrammar
import Testing

@Suite("A media range")
struct MediaRangeTests {
    @Test(
        "includes its own type, and all types for a wildcard",
        arguments: [
            ("application/json", "application/json", true),
            ("application/json", "Application/JSON; charset=utf-8", true),
            ("application/json", "application/problem+json", false),
            ("application/problem+json", "application/problem+json", true),
            ("application/json", "text/json", false),
            ("text/*", "text/html", true),
            ("text/*", "application/text", false),
            ("*/json", "text/json", true),
            ("*/json", "text/xml", false),
            ("*/*", "image/png", true),
            ("TEXT/*", "text/plain", true),
        ])
    func contains(range: String, contentType: String, isContained: Bool) throws {
        let mediaType = try #require(MediaType(contentType))
        #expect(try #require(MediaRange(range)).contains(mediaType) == isContained)
    }

    @Test(
        "is two tokens or stars and a slash",
        arguments: ["", "json", "/json", "text/", "text/a b", "a/b/c", "text/html;q=1", "te*t/html", "text/*+json"])
    func refuses(text: String) {
        #expect(MediaRange(text) == nil)
    }

    @Test("has a description in the form of the configuration")
    func description() {
        #expect(MediaRange("Text/*")?.description == "text/*")
    }
}
