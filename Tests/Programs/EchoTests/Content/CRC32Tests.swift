import Testing

@testable import ErrandEcho

@Suite("CRC-32")
struct CRC32Tests {
    @Test("matches the check value of the standard")
    func checkValue() {
        #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.checksum([]) == 0)
    }
}
