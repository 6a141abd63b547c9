import ErrandCharset
import Testing

@Suite("Windows-1252")
struct Windows1252Tests {
    @Test("has a character for every byte")
    func everyByte() throws {
        let bytes = Array(UInt8.min...UInt8.max)
        let decoded = try #require(Charset(label: "windows-1252")?.decode(bytes[...]))
        #expect(decoded.isWellFormed)
        let scalars = Array(decoded.text.unicodeScalars)
        #expect(scalars.count == 256)
        #expect(Set(scalars).count == 256)
        // The characters of Python's cp1252, which has none in place of the controls.
        #expect(
            String(String.UnicodeScalarView(scalars[0x80...0x9F]))
                == "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ")
        #expect(zip(scalars, bytes).allSatisfy { 0x80...0x9F ~= $1 || $0.value == UInt32($1) })
    }
}
