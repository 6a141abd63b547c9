import ErrandResponseSerialization
import ErrandSupport
import Testing

@Suite("The image response serializer")
struct ImageResponseSerializerTests {
    private let serializer = ImageResponseSerializer()

    @Test("returns format, width and height of images from other programs", arguments: ImageSample.all)
    func samples(sample: ImageSample) throws {
        #expect(try serializer.text(sample.bytes) == "image: made anew: \(sample.object)")
    }

    @Test("uses the bytes, not the content type")
    func contentType() throws {
        let png = try #require(ImageSample.all.first)
        #expect(try serializer.text(png.bytes, "image/jpeg") == "image: made anew: \(png.object)")
    }

    @Test("refuses content that is not an image", arguments: ["nonsense", "<svg/>", " ", "{}", "\u{89}PNG"])
    func noImage(content: String) {
        let error = #expect(throws: ResponseSerializationError.self) { try serializer.text(content, "image/png") }
        #expect(error?.kind == .unacceptableContent)
        #expect(error?.message == "The content is not an image of a supported format")
    }

    @Test("refuses an image without width or height")
    func noSize() {
        let error = #expect(throws: ResponseSerializationError.self) {
            try serializer.text("GIF89a\u{1}\0\0\0\0\0\0")
        }
        #expect(error?.kind == .unacceptableContent)
        #expect(error?.message == "The header of the gif image is damaged")
    }

    @Test("returns no object for empty content")
    func empty() throws {
        #expect(try serializer.text([], "image/png") == "image")
    }

    @Test("returns the correct size of a truncated image, or none", arguments: ImageSample.all)
    func truncated(sample: ImageSample) {
        for count in 1..<sample.bytes.count {
            do throws(ResponseSerializationError) {
                let text = try serializer.text(Array(sample.bytes.prefix(count)))
                #expect(text == "image: made anew: \(sample.object)")
            } catch {
                #expect(error.kind == .unacceptableContent)
            }
        }
    }

    @Test("returns a possible size of damaged images, or none", arguments: ImageSample.all)
    func mutations(sample: ImageSample) throws {
        var random = SplitMix64(seed: UInt64(sample.bytes.count))
        for _ in 0..<TestBuild.rounds(2000) {
            var bytes = sample.bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<min(bytes.count, 160), using: &random)
                bytes[place] =
                    [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)]
                    .randomElement(using: &random) ?? 0
            }
            do throws(ResponseSerializationError) {
                #expect(try !serializer.text(bytes).contains(#"":0"#))
            } catch {
                #expect(error.kind == .unacceptableContent)
            }
        }
    }
}
