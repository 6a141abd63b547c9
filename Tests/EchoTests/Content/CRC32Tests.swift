import Testing

@testable import Echo

@Suite("CRC-32")
struct CRC32Tests {
    @Test("has the check value of the standard")
    func checkValue() {
        #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.checksum([]) == 0)
    }
}
