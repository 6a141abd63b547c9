import ErrandResponseSerialization
import Testing

@Suite("The automatic response serializer")
struct AutomaticResponseSerializerTests {
    @Test(
        "chooses by the content type",
        arguments: [
            ("application/json", "[]", "json: []"),
            ("APPLICATION/JSON; charset=utf-8", "[]", "json: []"),
            ("application/problem+json", "[]", "json: []"),
            ("text/json", "[]", "json: []"),
            ("text/javascript", "[]", "json: []"),
            ("text/javascript", "f()", #"text: made anew: "f()""#),
            ("application/xml", "<a/>", #"xml: made anew: {"name":"a","attributes":{},"children":[]}"#),
            ("text/xml", "<a/>", #"xml: made anew: {"name":"a","attributes":{},"children":[]}"#),
            ("image/svg+xml", "<svg/>", #"xml: made anew: {"name":"svg","attributes":{},"children":[]}"#),
            ("application/x-plist", "<plist><true/></plist>", "plist: made anew: true"),
            ("text/x-apple-plist+xml", "<plist><true/></plist>", "plist: made anew: true"),
            ("image/gif", "GIF89a\u{1}\0\u{2}\0\0\0\0", #"image: made anew: {"format":"gif","width":1,"height":2}"#),
            ("image/avif", "anything", "raw"),
            ("text/html; charset=utf-8", "<p>", #"text: made anew: "<p>""#),
            ("application/octet-stream", "[]", "raw"),
            ("application/jsonlike", "[]", "raw"),
            (nil, "[]", "raw"),
            ("nonsense", "[]", "raw"),
        ] as [(String?, String, String)])
    func choice(contentType: String?, content: String, expected: String) throws {
        #expect(try AutomaticResponseSerializer().text(content, contentType) == expected)
    }

    @Test(
        "fails with the error of the chosen serializer",
        arguments: [
            ("application/json", ResponseSerializationError.Kind.unparsable),
            ("application/xml", .unparsable), ("application/x-plist", .unparsable),
            ("image/png", .unacceptableContent),
        ])
    func fails(contentType: String, kind: ResponseSerializationError.Kind) {
        let error = #expect(throws: ResponseSerializationError.self) {
            try AutomaticResponseSerializer().text("nonsense", contentType)
        }
        #expect(error?.kind == kind)
    }

    @Test(
        "returns no object for empty content of any type",
        arguments: ["application/json", "text/xml", "image/png", "text/a"])
    func empty(contentType: String) throws {
        let response = try AutomaticResponseSerializer().text([], contentType)
        #expect(!response.contains(":"))
    }
}
