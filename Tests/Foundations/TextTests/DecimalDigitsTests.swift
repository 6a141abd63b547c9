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
        #expect(Int64(decimalDigits: "9223372036854775807") == Int64.max)
        #expect(UInt8(decimalDigits: "0255") == 255)
        #expect(UInt16(decimalDigits: "0") == 0)
    }

    @Test("A digit is added to a number unless that would be too large")
    func appended() {
        #expect(Int64(922_337_203_685_477_580).appending(decimalDigit: UInt8(ascii: "7")) == Int64.max)
        #expect(Int64(922_337_203_685_477_580).appending(decimalDigit: UInt8(ascii: "8")) == nil)
        #expect(Int64(922_337_203_685_477_581).appending(decimalDigit: UInt8(ascii: "0")) == nil)
        #expect(UInt64(0).appending(decimalDigit: UInt8(ascii: "0")) == 0)
    }

    @Test(
        "Signs, blanks, other digits, no digits and numbers that are too large are refused",
        arguments: ["", "+1", "-1", " 1", "1 ", "1.0", "1e1", "0x1", "٣", "256", "00256"])
    func refused(text: String) {
        #expect(UInt8(decimalDigits: text) == nil)
    }
}
