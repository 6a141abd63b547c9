import Testing

@testable import ErrandResponseSerialization

@Suite("The header of a GIF image")
struct GIFHeaderTests {
    @Test("contains the size of the screen in little-endian order", arguments: ["GIF87a", "GIF89a"])
    func size(signature: String) {
        let bytes = ImageBytes(Array(signature.utf8) + [0x02, 0x01, 0x04, 0x03, 0, 0, 0])
        #expect(GIFHeader.begins(bytes))
        #expect(GIFHeader.size(in: bytes) == ImageSize(width: 0x0102, height: 0x0304))
    }

    @Test("has one of two versions")
    func versions() {
        #expect(!GIFHeader.begins(ImageBytes(Array("GIF88a".utf8))))
        #expect(!GIFHeader.begins(ImageBytes(Array("GIF89".utf8))))
    }

    @Test("is damaged if the screen descriptor is truncated")
    func short() {
        #expect(GIFHeader.size(in: ImageBytes(Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0])) == nil)
    }
}
