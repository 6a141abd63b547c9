import Testing

@testable import ErrandResponseSerialization

@Suite("The bytes of an image")
struct ImageBytesTests {
    private let bytes = ImageBytes([0x80, 0x01, 0x02, 0xFF])

    @Test("are read as numbers of either byte order")
    func numbers() {
        #expect(bytes.number(at: 0, bytes: 2, .bigEndian) == 0x8001)
        #expect(bytes.number(at: 0, bytes: 2, .littleEndian) == 0x0180)
        #expect(bytes.number(at: 0, bytes: 3, .littleEndian) == 0x020180)
        #expect(bytes.number(at: 0, bytes: 4, .bigEndian) == 0x8001_02FF)
        #expect(bytes.signedNumber(at: 0, .littleEndian) == -0x00FD_FE80)
        #expect(bytes[3] == 0xFF)
    }

    @Test("are nil outside of the image", arguments: [-1, 4, 5, Int.max, Int.min])
    func outside(offset: Int) {
        #expect(bytes[offset] == nil)
        #expect(bytes.number(at: offset, bytes: 2, .bigEndian) == nil)
        #expect(!bytes.has([0x80], at: offset))
    }

    @Test("are nil if they end too early")
    func early() {
        #expect(bytes.number(at: 3, bytes: 2, .bigEndian) == nil)
        #expect(bytes.slice(1, 4) == nil)
        #expect(bytes.slice(0, -1) == nil)
        #expect(bytes.slice(4, 0)?.isEmpty == true)
    }
}
