import ErrandCharset
import Testing

@Suite("The decoder of Unicode's encoding forms")
struct UnicodeDecoderTests {
    private func decode(_ label: String, _ bytes: [UInt8]) throws -> DecodedText {
        try #require(Charset(label: label)?.decode(bytes[...]))
    }

    @Test("decodes characters beyond the basic plane")
    func supplementary() throws {
        #expect(try decode("utf-8", [0xF0, 0x9F, 0x98, 0x80]).text == "😀")
        #expect(try decode("utf-16le", [0x3D, 0xD8, 0x00, 0xDE]).text == "😀")
        #expect(try decode("utf-16be", [0xD8, 0x3D, 0xDE, 0x00]).text == "😀")
        #expect(try decode("utf-32le", [0x00, 0xF6, 0x01, 0x00]).text == "😀")
        #expect(try decode("utf-32be", [0x00, 0x01, 0xF6, 0x00]).text == "😀")
    }

    @Test(
        "decodes each malformed sequence as U+FFFD",
        arguments: [
            ("utf-8", [0x41, 0xC0, 0x80], "A\u{FFFD}\u{FFFD}"),
            ("utf-8", [0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("utf-16be", [0xD8, 0x3D, 0x00, 0x41], "\u{FFFD}A"),
            ("utf-16be", [0xDE, 0x00], "\u{FFFD}"),
            ("utf-16le", [0x41, 0x00, 0x42], "A\u{FFFD}"),
            ("utf-32be", [0x00, 0x00, 0xD8, 0x00, 0x00, 0x00, 0x00, 0x41], "\u{FFFD}A"),
            ("utf-32be", [0x00, 0x11, 0x00, 0x00], "\u{FFFD}"),
            ("utf-32le", [0x41, 0x00, 0x00, 0x00, 0x42, 0x00, 0x00], "A\u{FFFD}"),
        ] as [(String, [UInt8], String)])
    func malformed(label: String, bytes: [UInt8], text: String) throws {
        let decoded = try decode(label, bytes)
        #expect(decoded.text == text)
        #expect(!decoded.isWellFormed)
    }

    @Test("accepts a text that contains U+FFFD as well-formed", arguments: ["utf-16be", "utf-16le", "utf-8"])
    func replacementCharacter(label: String) throws {
        let bytes: [String: [UInt8]] = [
            "utf-16be": [0xFF, 0xFD], "utf-16le": [0xFD, 0xFF], "utf-8": [0xEF, 0xBF, 0xBD],
        ]
        let decoded = try decode(label, #require(bytes[label]))
        #expect(decoded.text == "\u{FFFD}")
        #expect(decoded.isWellFormed)
    }

    @Test("decodes empty input as an empty text", arguments: ["utf-8", "utf-16be", "utf-16le", "utf-32be", "utf-32le"])
    func empty(label: String) throws {
        let decoded = try decode(label, [])
        #expect(decoded.text.isEmpty)
        #expect(decoded.isWellFormed)
    }
}
