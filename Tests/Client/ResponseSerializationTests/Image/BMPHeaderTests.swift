import Testing

@testable import ErrandResponseSerialization

@Suite("The header of a Windows bitmap")
struct BMPHeaderTests {
    private func size(_ length: UInt8, _ size: [UInt8], whole: Bool = true) -> ImageSize? {
        let file = Array("BM".utf8) + [UInt8](repeating: 0, count: 12)
        let rest = [UInt8](repeating: 0, count: whole ? max(0, Int(length) - 4 - size.count) : 0)
        return BMPHeader.size(in: ImageBytes(file + [length, 0, 0, 0] + size + rest))
    }

    @Test("has two bytes per dimension in its oldest form")
    func core() {
        #expect(size(12, [0x02, 0x01, 0xFF, 0xFF]) == ImageSize(width: 0x0102, height: 0xFFFF))
    }

    @Test("has four bytes per dimension in the other forms", arguments: [16, 40, 52, 56, 64, 108, 124] as [UInt8])
    func info(length: UInt8) {
        #expect(size(length, [0x03, 0x02, 0x01, 0, 1, 0, 0, 0]) == ImageSize(width: 0x010203, height: 1))
    }

    @Test("may have a negative height, for rows from top to bottom")
    func topDown() {
        #expect(size(40, [1, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF]) == ImageSize(width: 1, height: 2))
        #expect(size(40, [1, 0, 0, 0, 0, 0, 0, 0x80]) == ImageSize(width: 1, height: 0x8000_0000))
    }

    @Test("is damaged if it is truncated or of unknown length")
    func damaged() {
        #expect(size(41, [1, 0, 0, 0, 1, 0, 0, 0]) == nil)
        #expect(size(40, [1, 0, 0, 0, 1, 0, 0, 0], whole: false) == nil)
        #expect(BMPHeader.size(in: ImageBytes(Array("BM".utf8))) == nil)
    }

    @Test("requires a width that is not negative")
    func negativeWidth() {
        #expect(throws: ResponseSerializationError.self) {
            let header: [UInt8] = [40, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 1] + [UInt8](repeating: 0, count: 31)
            return try ImageResponseSerializer().text(Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + header)
        }
    }
}
