import ErrandResponseSerialization
import Testing

@Suite("The text response serializer")
struct TextResponseSerializerTests {
    private func text(_ content: [UInt8], _ contentType: String?) throws -> String {
        try TextResponseSerializer().text(content, contentType)
    }

    @Test(
        "decodes text in the charset of the mark, else of the type, else UTF-8, else windows-1252",
        arguments: [
            ([0xC3, 0xA9], nil, "é"),
            ([0xC3, 0xA9], "text/plain; charset=utf-8", "é"),
            ([0xC3, 0xA9], "text/plain; charset=ISO-8859-1", "Ã©"),
            ([0xCF, 0xF0, 0xE8], #"text/html; charset="windows-1251""#, "При"),
            ([0xEF, 0xBB, 0xBF, 0x41], "text/plain; charset=windows-1251", "A"),
            ([0xFF, 0xFE, 0x41, 0x00], "text/plain", "A"),
            ([0x93, 0xFA], "text/plain; charset=Shift_JIS", "日"),
            ([0x80, 0xE9], "text/plain", "€é"),
            ([0x80, 0xE9], "text/plain; charset=nonsense", "€é"),
            ([0xC3, 0xA9], "text/plain; charset=nonsense", "é"),
            ([0x41, 0xFF], "text/plain; charset=utf-8", "A\u{FFFD}"),
        ] as [([UInt8], String?, String)])
    func charsets(content: [UInt8], contentType: String?, expected: String) throws {
        #expect(try text(content, contentType) == "text: made anew: \"\(expected)\"")
    }

    @Test("returns it as a JSON string")
    func escapes() throws {
        #expect(try text(Array("a\"\\\n\u{1}".utf8), nil) == #"text: made anew: "a\"\\\n\u0001""#)
    }

    @Test("returns no object for empty content, but a string for only white space or only a mark")
    func empty() throws {
        #expect(try text([], "text/plain; charset=utf-16") == "text")
        #expect(try text([0x20], nil) == #"text: made anew: " ""#)
        #expect(try text([0xEF, 0xBB, 0xBF], nil) == #"text: made anew: """#)
    }
}
