import Sealing
import Testing

@testable import TaskStoreSealed

@Suite("SealedText")
struct SealedTextTests {
    @Test("Text that no cookie can have opens to the same bytes", arguments: [0, 1, 2, 3, 52, 4096])
    func roundTrip(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let text = SealedText.encode(bytes)
        #expect(text.utf8.first == 0)
        #expect(text.utf8.dropFirst().allSatisfy { $0 > 0x20 && $0 < 0x7F })
        #expect(SealedText.isSealed(text))
        #expect(try SealedText.decode(text) == bytes)
    }

    @Test("Other text is not sealed, and broken text is found out")
    func others() {
        for text in ["", "a", "AAAA", " \u{0}"] { #expect(!SealedText.isSealed(text)) }
        for text in ["", "AAAA", "\u{0}A", "\u{0}A=", "\u{0}é"] {
            let error = #expect(throws: SealingError.self) { try SealedText.decode(text) }
            #expect(error?.code == .tampered)
        }
    }
}
