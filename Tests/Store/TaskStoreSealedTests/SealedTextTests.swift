import ErrandCryptography
import Testing

@testable import ErrandTaskStoreSealed

@Suite("SealedText")
struct SealedTextTests {
    @Test("Bytes are restored from a text that no cookie can have", arguments: [0, 1, 2, 3, 52, 4096])
    func roundTrip(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let text = SealedText.encode(bytes)
        #expect(text.utf8.first == 0)
        #expect(text.utf8.dropFirst().allSatisfy { $0 > 0x20 && $0 < 0x7F })
        #expect(SealedText.isSealed(text))
        #expect(try SealedText.decode(text) == bytes)
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
