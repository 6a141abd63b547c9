import ErrandText
import Testing

@Suite("Decimal digits")
struct DecimalDigitsTests {
    @Test("A number is written with leading zeros")
    func written() {
        var text: [UInt8] = []
        text.append(decimal: 7, digits: 3)
        text.append(decimal: 2026, digits: 4)
        #expect(text == Array("0072026".utf8))
    }

    @Test("Digits are a number, with leading zeros as well")
    func digits() {
        #expect(Int64(decimalDigits: "9223372036854775807") == .max)
        #expect(UInt8(decimalDigits: "0255") == 255)
        #expect(UInt16(decimalDigits: "0") == 0)
    }

    @Test(
        "Signs, blanks, other digits, no digits and numbers that are too large are refused",
        arguments: ["", "+1", "-1", " 1", "1 ", "1.0", "1e1", "0x1", "٣", "256", "00256"])
    func refused(text: String) {
        #expect(UInt8(decimalDigits: text) == nil)
    }
}
