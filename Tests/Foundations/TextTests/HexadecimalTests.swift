import ErrandText
import Testing

@Suite("Hexadecimal")
struct HexadecimalTests {
    @Test("Every byte round-trips through two lower-case digits")
    func everyByte() {
        let bytes = (0...255).map(UInt8.init)
        let text = Hexadecimal.encode(bytes)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.decode(text) == bytes)
        #expect(Hexadecimal.decode(text.uppercased()) == bytes)
        #expect(Hexadecimal.decode("") == [])
    }

    @Test("Half a byte and other characters are rejected", arguments: ["0", "000", "0g", "0x00", "00 00", "0é"])
    func refused(text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }
}
