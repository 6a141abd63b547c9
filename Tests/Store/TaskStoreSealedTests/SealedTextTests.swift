import ErrandCryptography
import Testing

@testable import ErrandTaskStoreSealed

@Suite("SealedText")
struct SealedTextTests {
    @Test("Bytes are restored from a text that no header field can have", arguments: [0, 1, 2, 3, 52, 4096])
    func roundTrip(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for (mark, other, byte) in [
            (SealedText.Mark.null, SealedText.Mark.lineFeed, 0), (.lineFeed, .null, 10),
        ] as [(SealedText.Mark, SealedText.Mark, UInt8)] {
            let text = SealedText.encode(bytes, mark: mark)
            #expect(text.utf8.first == byte)
            #expect(text.utf8.dropFirst().allSatisfy { $0 > 0x20 && $0 < 0x7F })
            #expect(SealedText.isSealed(text, mark: mark))
            #expect(try SealedText.decode(text, mark: mark) == bytes)
            #expect(!SealedText.isSealed(text, mark: other))
        }
        #expect(SealedText.encode(bytes) == SealedText.encode(bytes, mark: .null))
    }

    @Test("Other text is not sealed, and damaged text is detected")
    func others() {
        for text in ["", "a", "AAAA", " \u{0}"] { #expect(!SealedText.isSealed(text)) }
        for text in ["", "AAAA", "\u{0}A", "\u{0}A=", "\u{0}é"] {
            let error = #expect(throws: SealingError.self) { try SealedText.decode(text) }
            #expect(error?.code == .tampered)
        }
    }
}
