import ErrandXML
import Testing

@testable import ErrandResponseSerialization

/// Checks the encodings of XML in responses (RFC 7303 §3).
@Suite("XML in any charset")
struct XMLContentTests {
    private static func text(_ bytes: [UInt8], charset: String?) throws(XMLError) -> XMLNode? {
        try XMLContent.document(bytes, charset: charset).root.children.first
    }

    private static func document(encoding: String, _ content: [UInt8]) -> [UInt8] {
        Array("<?xml version='1.0' encoding='\(encoding)'?><a>".utf8) + content + Array("</a>".utf8)
    }

    @Test("Encodings unknown to the parser are converted first")
    func decoded() throws {
        #expect(try Self.text(Self.document(encoding: "windows-1252", [0x80]), charset: nil) == .text("€"))
        #expect(try Self.text(Self.document(encoding: "KOI8-R", [0xC1]), charset: nil) == .text("а"))
        #expect(try Self.text(Self.document(encoding: "Shift_JIS", [0x93, 0xFA]), charset: nil) == .text("日"))
        #expect(try Self.text(Self.document(encoding: "UTF-8", [0x80]), charset: "windows-1252") == .text("€"))
    }

    @Test("A charset with an alternative name is recognised")
    func spelling() throws {
        #expect(try Self.text(Self.document(encoding: "ISO-8859-1", [0xC3, 0xA9]), charset: "utf8") == .text("é"))
    }

    @Test("UTF-32 is read with and without its mark")
    func utf32() throws {
        let scalars = "<a>é😀</a>".unicodeScalars.map(\.value)
        let bigEndian = scalars.flatMap { scalar in (0..<4).map { UInt8(scalar >> (24 - 8 * $0) & 0xFF) } }
        let littleEndian = scalars.flatMap { scalar in (0..<4).map { UInt8(scalar >> (8 * $0) & 0xFF) } }
        #expect(try Self.text([0, 0, 0xFE, 0xFF] + bigEndian, charset: nil) == .text("é😀"))
        #expect(try Self.text([0xFF, 0xFE, 0, 0] + littleEndian, charset: nil) == .text("é😀"))
        #expect(try Self.text(bigEndian, charset: "UTF-32") == .text("é😀"))
    }

    @Test("If the charset is unknown, the declaration decides")
    func unknownCharset() throws {
        #expect(try Self.text(Self.document(encoding: "ISO-8859-1", [0xE9]), charset: "x-none") == .text("é"))
        #expect(try Self.text(Self.document(encoding: "windows-1252", [0x80]), charset: "x-none") == .text("€"))
    }

    @Test("An unknown declared encoding is an error, and so are bytes that are invalid in the encoding")
    func refused() {
        #expect {
            try Self.text(Self.document(encoding: "x-none", []), charset: nil)
        } throws: { error in
            (error as? XMLError)?.reason == .unknownEncoding("x-none")
        }
        #expect {
            try Self.text(Self.document(encoding: "Shift_JIS", [0xFF, 0xFF]), charset: nil)
        } throws: { error in
            (error as? XMLError)?.message == "the text is malformed for its encoding"
        }
    }
}
