import Testing

@testable import ErrandResponseSerialization

@Suite("The header of a WebP image")
struct WebPHeaderTests {
    private func size(_ chunk: String, _ data: [UInt8]) -> ImageSize? {
        let bytes = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP\(chunk)".utf8) + [0, 0, 0, 0] + data
        return WebPHeader.size(in: ImageBytes(bytes))
    }

    @Test("of a lossy image has 14 bits per dimension; the scale above them is ignored")
    func lossy() {
        #expect(size("VP8 ", [0, 0, 0, 0x9D, 1, 0x2A, 0xFF, 0xFF, 0x01, 0x40]) == ImageSize(width: 0x3FFF, height: 1))
    }

    @Test("of a lossy image is damaged if it does not begin with a key frame")
    func noKeyFrame() {
        #expect(size("VP8 ", [1, 0, 0, 0x9D, 1, 0x2A, 1, 0, 1, 0]) == nil)
        #expect(size("VP8 ", [0, 0, 0, 0x9D, 1, 0x2B, 1, 0, 1, 0]) == nil)
        #expect(size("VP8 ", [0, 0, 0, 0x9D, 1, 0x2A, 1, 0, 1]) == nil)
    }

    @Test("of a lossless image has 14 bits per dimension, minus one")
    func lossless() {
        #expect(size("VP8L", [0x2F, 0, 0, 0, 0]) == ImageSize(width: 1, height: 1))
        #expect(size("VP8L", [0x2F, 0xFF, 0xFF, 0xFF, 0x1F]) == ImageSize(width: 0x4000, height: 0x4000))
        #expect(size("VP8L", [0x2F, 0xFF, 0x3F, 0, 0x10]) == ImageSize(width: 0x4000, height: 1))
    }

    @Test("of a lossless image is damaged with another signature or version")
    func losslessDamaged() {
        #expect(size("VP8L", [0x2E, 0, 0, 0, 0]) == nil)
        #expect(size("VP8L", [0x2F, 0, 0, 0, 0x20]) == nil)
        #expect(size("VP8L", [0x2F, 0, 0, 0]) == nil)
    }

    @Test("of a canvas has 24 bits per dimension, minus one")
    func canvas() {
        #expect(size("VP8X", [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0, 0, 0]) == ImageSize(width: 0x100_0000, height: 1))
        #expect(size("VP8X", [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0, 0]) == nil)
    }

    @Test("begins with one of three chunks")
    func chunks() {
        #expect(size("ALPH", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) == nil)
        #expect(!WebPHeader.begins(ImageBytes(Array("RIFF0000WAVE".utf8))))
    }
}
