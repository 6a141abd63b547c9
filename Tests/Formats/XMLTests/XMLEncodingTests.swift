import ErrandXML
import Testing

/// The encodings of XML documents: XML 1.0 §4.3.3 and RFC 7303 §3.
@Suite("Encodings of XML")
struct XMLEncodingTests {
    private static func text(_ bytes: [UInt8], _ encoding: String?) throws(XMLError) -> XMLNode? {
        try XMLDocument.parse(bytes, encoding: encoding).root.children.first
    }

    private static func utf16(_ text: String, littleEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return littleEndian ? bytes.reversed() : bytes
        }
    }

    @Test("Without declaration, mark and charset the encoding is UTF-8")
    func utf8() throws {
        #expect(try Self.text(Array("<a>é😀</a>".utf8), nil) == .text("é😀"))
    }

    @Test("The declaration determines the encoding")
    func declaration() throws {
        let document = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>".utf8) + [0xE9] + Array("</a>".utf8)
        #expect(try Self.text(document, nil) == .text("é"))
    }

    @Test("The charset of the content type overrides the declaration")
    func charset() throws {
        let head = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>".utf8)
        let document = head + Array("é</a>".utf8)
        #expect(try Self.text(document, nil) == .text("Ã©"))
        #expect(try Self.text(document, "utf-8") == .text("é"))
    }

    @Test("A byte order mark overrides both", arguments: [nil, "ISO-8859-1", "US-ASCII", "UTF-16", "unheard-of"])
    func mark(charset: String?) throws {
        let document = "\u{FEFF}<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>"
        #expect(try Self.text(Array(document.utf8), charset) == .text("é"))
        #expect(try Self.text(Self.utf16(document, littleEndian: true), charset) == .text("é"))
        #expect(try Self.text(Self.utf16(document, littleEndian: false), charset) == .text("é"))
    }

    @Test("UTF-16 without a mark is accepted if the charset has its byte order")
    func utf16() throws {
        #expect(try Self.text(Self.utf16("<a>é😀</a>", littleEndian: true), "UTF-16LE") == .text("é😀"))
        #expect(try Self.text(Self.utf16("<a>é😀</a>", littleEndian: false), "UTF-16BE") == .text("é😀"))
    }

    @Test("Another encoding is named in the error, so that the caller can decode it")
    func unknown() throws {
        let document = Array("<?xml version='1.0' encoding='windows-1252'?><a/>".utf8)
        #expect(refusal(document)?.reason == .unknownEncoding("windows-1252"))
        #expect(refusal(document, encoding: "koi8-r")?.reason == .unknownEncoding("koi8-r"))
        #expect(refusal(document, encoding: "UTF-8") == nil)
    }

    @Test("UTF-32 is detected by its mark")
    func utf32() {
        #expect(refusal([0xFF, 0xFE, 0, 0, 0x3C, 0, 0, 0])?.reason == .unknownEncoding("UTF-32"))
        #expect(refusal([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x3C])?.reason == .unknownEncoding("UTF-32"))
    }

    @Test("Bytes that are invalid in the encoding are rejected")
    func foreignBytes() {
        #expect(refusal(Array("<a>é</a>".utf8), encoding: "US-ASCII")?.reason == .malformed)
    }
}
