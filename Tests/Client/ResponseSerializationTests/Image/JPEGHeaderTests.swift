import Testing

@testable import ErrandResponseSerialization

@Suite("The header of a JPEG image")
struct JPEGHeaderTests {
    private func size(_ bytes: [UInt8]) -> ImageSize? {
        JPEGHeader.size(in: ImageBytes([0xFF, 0xD8] + bytes))
    }

    /// Returns a frame of one component, 0x0102 high and 0x0304 wide.
    private func frame(_ marker: UInt8) -> [UInt8] {
        [0xFF, marker, 0, 11, 8, 1, 2, 3, 4, 1, 1, 0x11, 0]
    }

    @Test("is read from a frame of any kind", arguments: (0xC0...0xCF).filter { ![0xC4, 0xC8, 0xCC].contains($0) })
    func frames(marker: Int) {
        #expect(size(frame(UInt8(marker))) == ImageSize(width: 0x0304, height: 0x0102))
    }

    @Test(
        "follows tables, metadata, fill bytes and markers without a segment", arguments: [0xC4, 0xC8, 0xCC, 0xE1])
    func segments(marker: Int) {
        // A thumbnail in the metadata has its own frame.
        let segment: [UInt8] = [0xFF, UInt8(marker), 0, 15] + [0xFF, 0xC0, 0, 11, 8, 9, 9, 9, 9, 1, 1, 0x11, 0]
        #expect(size(segment + frame(0xC0)) == ImageSize(width: 0x0304, height: 0x0102))
        #expect(size([0xFF, 0x01, 0xFF, 0xD0, 0xFF, 0xFF, 0xFF] + segment + frame(0xC2)) != nil)
    }

    @Test("is damaged without a frame before the scan, the end, or an invalid marker")
    func noFrame() {
        #expect(size([]) == nil)
        #expect(size([0xFF]) == nil)
        #expect(size([0xFF, 0xDA, 0, 2] + frame(0xC0)) == nil)
        #expect(size([0xFF, 0xD9] + frame(0xC0)) == nil)
        #expect(size([0xFF, 0xD8] + frame(0xC0)) == nil)
        #expect(size([0xFF, 0x00] + frame(0xC0)) == nil)
        #expect(size([0x00] + frame(0xC0)) == nil)
    }

    @Test("is damaged by an invalid length")
    func lengths() {
        #expect(size([0xFF, 0xE0, 0, 1] + frame(0xC0)) == nil)
        #expect(size([0xFF, 0xE0, 0xFF, 0xFF] + frame(0xC0)) == nil)
        #expect(size([0xFF, 0xC0, 0, 10, 8, 1, 2, 3, 4, 1, 1, 0x11, 0]) == nil)
        #expect(size(frame(0xC0).dropLast()) == nil)
    }
}
