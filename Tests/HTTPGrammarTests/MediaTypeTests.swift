import HTTPGrammar
import Testing

@Suite("A media type")
struct MediaTypeTests {
    @Test(
        "is read from a Content-Type without its parameters, in lower case",
        arguments: [
            ("application/json", "application/json"),
            ("APPLICATION/Problem+JSON", "application/problem+json"),
            ("text/html;charset=utf-8", "text/html"),
            (" text/html ; charset=\"a/b\"", "text/html"),
            ("\ttext/html\t", "text/html"),
        ])
    func reads(value: String, expected: String) {
        #expect(MediaType(value)?.description == expected)
    }

    @Test(
        "is not read from anything else",
        arguments: [
            "", "json", "text/", "/html", "text /html", "text/ html", "; text/html", "text/html, text/plain",
            "tëxt/html",
        ])
    func refuses(value: String) {
        #expect(MediaType(value) == nil)
    }
}
