import Testing

@testable import ErrandResponseSerialization

@Suite("The header of a PNG image")
struct PNGHeaderTests {
    /// Returns a signature, a chunk of 13 bytes, IHDR, width, height, five bytes and a checksum.
    private func size(_ width: [UInt8], _ height: [UInt8], chunk: String = "IHDR", length: UInt8 = 13) -> ImageSize? {
        let head = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, length] + Array(chunk.utf8)
        return PNGHeader.size(in: ImageBytes(head + width + height + [8, 6, 0, 0, 0] + [1, 2, 3, 4]))
    }

    @Test("contains the size in four bytes each")
    func size() {
        #expect(size([0, 1, 2, 3], [0, 0, 1, 0]) == ImageSize(width: 0x010203, height: 256))
        #expect(size([0x7F, 0xFF, 0xFF, 0xFF], [0, 0, 0, 1]) == ImageSize(width: 0x7FFF_FFFF, height: 1))
    }

    @Test("is damaged if the size has 32 bits or the first chunk is another one")
    func damaged() {
        #expect(size([0x80, 0, 0, 0], [0, 0, 0, 1]) == nil)
        #expect(size([0, 0, 0, 1], [0x80, 0, 0, 0]) == nil)
        #expect(size([0, 0, 0, 1], [0, 0, 0, 1], chunk: "CgBI") == nil)
        #expect(size([0, 0, 0, 1], [0, 0, 0, 1], length: 12) == nil)
    }
}
