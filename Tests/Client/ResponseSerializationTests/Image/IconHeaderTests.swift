import Testing

@testable import ErrandResponseSerialization

@Suite("The header of a Windows icon")
struct IconHeaderTests {
    /// Returns an icon with images of one byte each.
    private func icon(_ sizes: [(UInt8, UInt8)], kind: UInt8 = 1) -> [UInt8] {
        let content = UInt8(6 + sizes.count * 16)
        let entries: [[UInt8]] = sizes.map { [$0.0, $0.1, 0, 0, 1, 0, 32, 0, 1, 0, 0, 0, content, 0, 0, 0] }
        return [0, 0, kind, 0, UInt8(sizes.count), 0] + entries.joined() + [0xAA]
    }

    @Test("yields the size of the largest image")
    func largest() {
        let bytes = ImageBytes(icon([(16, 16), (48, 32), (32, 32)]))
        #expect(IconHeader.begins(bytes))
        #expect(IconHeader.size(in: bytes) == ImageSize(width: 48, height: 32))
    }

    @Test("represents 256 as 0")
    func zero() {
        #expect(IconHeader.size(in: ImageBytes(icon([(255, 255), (0, 0)]))) == ImageSize(width: 256, height: 256))
    }

    @Test("is damaged without images, or with one that is not in the file")
    func damaged() {
        #expect(IconHeader.size(in: ImageBytes(icon([]))) == nil)
        #expect(IconHeader.size(in: ImageBytes(icon([(16, 16)]).dropLast())) == nil)
        #expect(IconHeader.size(in: ImageBytes([0, 0, 1, 0, 0xFF, 0xFF])) == nil)
    }

    @Test("of a cursor has another number")
    func cursor() throws {
        let object = #"{"format":"cur","width":32,"height":32}"#
        #expect(try ImageResponseSerializer().text(icon([(32, 32)], kind: 2)) == "image: made anew: \(object)")
        #expect(throws: ResponseSerializationError.self) {
            try ImageResponseSerializer().text(icon([(32, 32)], kind: 3))
        }
    }
}
