import ErrandCharset
import Testing

@Suite("The decoder of the C library")
struct LibraryDecoderTests {
    /// Texts with their encodings by Python's codecs.
    @Test(
        "decodes the output of other programs",
        arguments: [
            (
                "iso-8859-2", "Zażółć gęślą jaźń",
                [0x5A, 0x61, 0xBF, 0xF3, 0xB3, 0xE6, 0x20, 0x67, 0xEA, 0xB6, 0x6C, 0xB1, 0x20, 0x6A, 0x61, 0xBC, 0xF1]
            ),
            ("ISO-8859-5", "Привет", [0xBF, 0xE0, 0xD8, 0xD2, 0xD5, 0xE2]),
            ("iso-8859-7", "Καλημέρα", [0xCA, 0xE1, 0xEB, 0xE7, 0xEC, 0xDD, 0xF1, 0xE1]),
            ("iso-8859-15", "œuvre €", [0xBD, 0x75, 0x76, 0x72, 0x65, 0x20, 0xA4]),
            (
                "windows-1250", "Příliš žluťoučký",
                [0x50, 0xF8, 0xED, 0x6C, 0x69, 0x9A, 0x20, 0x9E, 0x6C, 0x75, 0x9D, 0x6F, 0x75, 0xE8, 0x6B, 0xFD]
            ),
            ("windows-1251", "Съешь ещё", [0xD1, 0xFA, 0xE5, 0xF8, 0xFC, 0x20, 0xE5, 0xF9, 0xB8]),
            (
                "windows-1254", "İstanbul ğüş",
                [0xDD, 0x73, 0x74, 0x61, 0x6E, 0x62, 0x75, 0x6C, 0x20, 0xF0, 0xFC, 0xFE]
            ),
            ("windows-1255", "שלום", [0xF9, 0xEC, 0xE5, 0xED]),
            ("windows-1256", "مرحبا", [0xE3, 0xD1, 0xCD, 0xC8, 0xC7]),
            ("windows-1257", "Ąžuolas", [0xC0, 0xFE, 0x75, 0x6F, 0x6C, 0x61, 0x73]),
            ("windows-874", "สวัสดี", [0xCA, 0xC7, 0xD1, 0xCA, 0xB4, 0xD5]),
            ("koi8-r", "Привет", [0xF0, 0xD2, 0xC9, 0xD7, 0xC5, 0xD4]),
            ("koi8-u", "Їжак", [0xB7, 0xD6, 0xC1, 0xCB]),
            ("ibm866", "Привет", [0x8F, 0xE0, 0xA8, 0xA2, 0xA5, 0xE2]),
            ("macintosh", "Café “naïve”", [0x43, 0x61, 0x66, 0x8E, 0x20, 0xD2, 0x6E, 0x61, 0x95, 0x76, 0x65, 0xD3]),
            ("x-mac-cyrillic", "Привет", [0x8F, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2]),
            ("shift_jis", "日本語 ～ ①", [0x93, 0xFA, 0x96, 0x7B, 0x8C, 0xEA, 0x20, 0x81, 0x60, 0x20, 0x87, 0x40]),
            ("euc-jp", "日本語テスト", [0xC6, 0xFC, 0xCB, 0xDC, 0xB8, 0xEC, 0xA5, 0xC6, 0xA5, 0xB9, 0xA5, 0xC8]),
            (
                "iso-2022-jp", "日本 A 語",
                [
                    0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42, 0x20, 0x41, 0x20, 0x1B, 0x24, 0x42,
                    0x38, 0x6C, 0x1B, 0x28, 0x42,
                ]
            ),
            ("gb2312", "你好，世界", [0xC4, 0xE3, 0xBA, 0xC3, 0xA3, 0xAC, 0xCA, 0xC0, 0xBD, 0xE7]),
            ("gbk", "囍", [0x87, 0xD6]),
            ("gb18030", "你好 😀", [0xC4, 0xE3, 0xBA, 0xC3, 0x20, 0x94, 0x39, 0xFC, 0x36]),
            ("big5", "你好，世界", [0xA7, 0x41, 0xA6, 0x6E, 0xA1, 0x41, 0xA5, 0x40, 0xAC, 0xC9]),
            ("euc-kr", "안녕하세요", [0xBE, 0xC8, 0xB3, 0xE7, 0xC7, 0xCF, 0xBC, 0xBC, 0xBF, 0xE4]),
            ("windows-949", "똠방각하", [0x8C, 0x63, 0xB9, 0xE6, 0xB0, 0xA2, 0xC7, 0xCF]),
            ("iso-8859-8-i", "שלום", [0xF9, 0xEC, 0xE5, 0xED]),
        ] as [(String, String, [UInt8])])
    func vectors(label: String, text: String, bytes: [UInt8]) {
        let decoded = Charset(label: label)?.decode(bytes[...])
        #expect(decoded?.text == text)
        #expect(decoded?.isWellFormed == true)
    }

    /// A label for each encoding of the C library.
    private static let labels = [
        "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8",
        "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "macintosh", "ibm866", "koi8-r",
        "koi8-u", "x-mac-cyrillic", "windows-874", "windows-1250", "windows-1251", "windows-1253", "windows-1254",
        "windows-1255", "windows-1256", "windows-1257", "windows-1258", "gbk", "gb18030", "big5", "euc-jp",
        "iso-2022-jp", "shift_jis", "euc-kr",
    ]

    @Test("keeps an ASCII character after a malformed sequence", arguments: labels)
    func asciiStays(label: String) throws {
        var bytes: [UInt8] = []
        for first in UInt8(0x80)...0xFF {
            for second in UInt8.min...UInt8.max { bytes += [first, second, UInt8(ascii: "\n"), UInt8(ascii: "\"")] }
        }
        let decoded = try #require(Charset(label: label)?.decode(bytes[...]))
        let quotes = decoded.text.unicodeScalars.count { $0 == "\"" }
        let newlines = decoded.text.unicodeScalars.count { $0 == "\n" }
        #expect(quotes >= 128 * 256)
        #expect(newlines >= 128 * 256)
        #expect(decoded.isWellFormed == !decoded.text.unicodeScalars.contains("\u{FFFD}"))
    }

    @Test("decodes a text that is longer than its buffer", arguments: [16 << 10, (16 << 10) + 1, 100_000])
    func long(count: Int) {
        let bytes = Array(repeating: [0x93, 0xFA] as [UInt8], count: count).joined()
        #expect(Charset(label: "shift_jis")?.decode(Array(bytes)[...])?.text == String(repeating: "日", count: count))
    }

    @Test("decodes a truncated sequence as one U+FFFD", arguments: ["euc-jp", "gbk", "big5", "euc-kr"])
    func truncated(label: String) {
        let decoded = Charset(label: label)?.decode([0x41, 0xB0])
        #expect(decoded?.text == "A\u{FFFD}")
        #expect(decoded?.isWellFormed == false)
    }

    @Test("keeps its character set after a malformed sequence")
    func escapes() {
        // Switch to JIS X 0208, a pair outside the set, a character, switch back to ASCII.
        let bytes: [UInt8] = [0x1B, 0x24, 0x42, 0xFF, 0x46, 0x7C, 0x1B, 0x28, 0x42, 0x41]
        #expect(Charset(label: "iso-2022-jp")?.decode(bytes[...])?.text == "\u{FFFD}日A")
    }

    @Test("decodes bytes without a character in a Windows code page as controls")
    func controls() {
        let decoded = Charset(label: "windows-1253")?.decode([0x81, 0xE1, 0x98, 0xD2])
        #expect(decoded?.text == "\u{81}α\u{98}\u{FFFD}")
        #expect(Charset(label: "windows-1250")?.decode([0x81])?.isWellFormed == true)
    }

    @Test("composes letter and accent of a code page, also before a malformed byte")
    func combining() {
        let page = Charset(label: "windows-1258")
        // An a followed by its acute accent.
        #expect(page?.decode([0x61, 0xEC])?.text.unicodeScalars.count == 1)
        #expect(page?.decode([0x61, 0xEC])?.text == "á")
        #expect(page?.decode([0x61, 0x81, 0x61])?.text == "a\u{81}a")
        #expect(page?.decode([0x61])?.text == "a")
    }
}
