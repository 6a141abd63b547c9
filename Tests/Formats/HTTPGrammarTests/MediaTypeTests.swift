import ErrandHTTPGrammar
import Testing

@Suite("A media type")
struct MediaTypeTests {
    @Test(
        "is parsed from a Content-Type without its parameters, in lower case",
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
        "is not parsed from other values",
        arguments: [
            "", "json", "text/", "/html", "text /html", "text/ html", "; text/html", "text/html, text/plain",
            "tëxt/html",
        ])
    func refuses(value: String) {
        #expect(MediaType(value) == nil)
    }

    @Test("is parsed from a list of equal types, and not from a list of different ones")
    func repeated() {
        // Empty list elements are ignored (RFC 9110 §5.6.1.2).
        for value in [
            "application/json", "application/json, application/json", "application/json,APPLICATION/JSON",
            "application/json,", ", application/json",
        ] {
            #expect(MediaType(field: value)?.description == "application/json")
        }
        for value in ["text/html, text/plain", ",", "", "a, a"] {
            #expect(MediaType(field: value) == nil)
        }
    }
}
