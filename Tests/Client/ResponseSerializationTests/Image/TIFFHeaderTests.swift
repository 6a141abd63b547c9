import Testing

@testable import ErrandResponseSerialization

@Suite("The header of a TIFF image")
struct TIFFHeaderTests {
    private func size(_ bytes: [UInt8]) -> ImageSize? {
        let bytes = ImageBytes(bytes)
        return TIFFHeader.begins(bytes) ? TIFFHeader.size(in: bytes) : nil
    }

    private let little: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0]
    private let big: [UInt8] = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8]

    @Test("contains the size in entries of two or four bytes, in either order")
    func entries() {
        let short: [UInt8] = [2, 0, 0, 1, 3, 0, 1, 0, 0, 0, 2, 1, 0xFF, 0xFF, 1, 1, 3, 0, 1, 0, 0, 0, 4, 3, 0, 0]
        #expect(size(little + short) == ImageSize(width: 0x0102, height: 0x0304))
        let long: [UInt8] = [0, 2, 1, 0, 0, 4, 0, 0, 0, 1, 0, 1, 2, 3, 1, 1, 0, 4, 0, 0, 0, 1, 0, 0, 0, 5]
        #expect(size(big + long) == ImageSize(width: 0x010203, height: 5))
    }

    @Test("is damaged without width or height")
    func missing() {
        #expect(size(big + [0, 0]) == nil)
        #expect(size(big + [0, 1, 1, 0, 0, 3, 0, 0, 0, 1, 0, 5, 0, 0]) == nil)
    }

    @Test("is damaged if the size is not a single number")
    func noNumber() {
        let height: [UInt8] = [1, 1, 0, 3, 0, 0, 0, 1, 0, 5, 0, 0]
        #expect(size(big + [0, 2, 1, 0, 0, 3, 0, 0, 0, 1, 0, 5, 0, 0] + height) == ImageSize(width: 5, height: 5))
        #expect(size(big + [0, 2, 1, 0, 0, 2, 0, 0, 0, 1, 0, 5, 0, 0] + height) == nil)
        #expect(size(big + [0, 2, 1, 0, 0, 3, 0, 0, 0, 2, 0, 5, 0, 0] + height) == nil)
    }

    @Test("is damaged if its directory is not in the file")
    func outside() {
        #expect(size([0x4D, 0x4D, 0, 0x2A, 0xFF, 0xFF, 0xFF, 0xFF]) == nil)
        #expect(size([0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 0]) == nil, "in the header itself")
        #expect(size(big + [0xFF, 0xFF, 1, 0, 0, 3, 0, 0, 0, 1, 0, 5, 0, 0]) == nil)
        #expect(size(big) == nil)
    }
}
