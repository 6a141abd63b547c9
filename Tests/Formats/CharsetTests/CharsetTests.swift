import ErrandCharset
import Testing

@Suite("The charset of a text")
struct CharsetTests {
    private func decode(_ bytes: [UInt8], _ label: String?) -> String {
        let decoded = Charset.decode(bytes, label: label)
        return "\(decoded.charset.name): \(decoded.text)"
    }

    @Test("is that of the byte order mark, regardless of the label")
    func mark() {
        #expect(decode([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "windows-1251") == "utf-8: é")
        #expect(decode([0xFF, 0xFE, 0xE9, 0x00], "utf-8") == "utf-16le: é")
        #expect(decode([0xFE, 0xFF, 0x00, 0xE9], nil) == "utf-16be: é")
        #expect(decode([0xFF, 0xFE, 0x00, 0x00, 0xE9, 0x00, 0x00, 0x00], nil) == "utf-32le: é")
        #expect(decode([0x00, 0x00, 0xFE, 0xFF, 0x00, 0x00, 0x00, 0xE9], "utf-16") == "utf-32be: é")
    }

    @Test("is that of the label if there is no mark")
    func label() {
        #expect(decode([0xC3, 0xA9], "utf-8") == "utf-8: é")
        #expect(decode([0xC3, 0xA9], "iso-8859-1") == "windows-1252: Ã©")
        #expect(decode([0xE9, 0x00], "utf-16") == "utf-16le: é")
        #expect(decode([0x00, 0x00, 0x00, 0xE9], "utf-32") == "utf-32be: é")
    }

    @Test("is UTF-8 without a known label, if the text is valid UTF-8", arguments: [nil, "", "nonsense", "utf-7"])
    func validUTF8(label: String?) {
        #expect(decode([0x41, 0xE2, 0x82, 0xAC], label) == "utf-8: A€")
        #expect(decode([], label) == "utf-8: ")
    }

    @Test(
        "is windows-1252 if nothing declares it and the text is not UTF-8",
        arguments: [nil, "", "nonsense", "hz-gb-2312"])
    func lastResort(label: String?) {
        let decoded = Charset.decode([0x80, 0x20, 0xE9], label: label)
        #expect(decoded.text == "€ é")
        #expect(decoded.charset.name == "windows-1252")
        #expect(decoded.isWellFormed)
    }

    @Test("is not guessed if a declaration is required")
    func declared() {
        #expect(Charset.decodeAsDeclared([0x41], label: nil) == nil)
        #expect(Charset.decodeAsDeclared([0x41], label: "nonsense") == nil)
        #expect(Charset.decodeAsDeclared([0xDF], label: "koi8-r")?.text == "ъ")
        #expect(Charset.decodeAsDeclared([0xFE, 0xFF, 0x04, 0x2F], label: nil)?.text == "Я")
    }

    @Test("decodes malformed text as U+FFFD, and reports it")
    func malformed() {
        let decoded = Charset.decode([0x41, 0xFF, 0x42, 0xE2, 0x82], label: "utf-8")
        #expect(decoded.text == "A\u{FFFD}B\u{FFFD}")
        #expect(!decoded.isWellFormed)
    }

    @Test("keeps a mark that is not at the start, and the second of two")
    func inner() {
        #expect(Charset.decode([0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF, 0x41], label: nil).text == "\u{FEFF}A")
    }
}
