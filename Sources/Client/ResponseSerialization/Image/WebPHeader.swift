/// The header of WebP images (RFC 9649 §2): a RIFF container with a lossy image, a lossless one, or a canvas first.
enum WebPHeader: ImageHeader {
    static func begins(_ bytes: ImageBytes) -> Bool {
        bytes.has("RIFF") && bytes.has("WEBP", at: 8)
    }

    static func size(in bytes: ImageBytes) -> ImageSize? {
        if bytes.has("VP8 ", at: 12) { return lossySize(in: bytes) }
        if bytes.has("VP8L", at: 12) { return losslessSize(in: bytes) }
        if bytes.has("VP8X", at: 12) { return canvasSize(in: bytes) }
        return nil
    }

    /// The offset of the first chunk's data, after its name and length.
    private static let data = 20

    /// Returns the size in a VP8 key frame (RFC 6386 §9.1).
    ///
    /// It has a tag of three bytes, a start code, and 14 bits each of width and height.
    private static func lossySize(in bytes: ImageBytes) -> ImageSize? {
        guard let tag = bytes[data], tag & 1 == 0, bytes.has([0x9D, 0x01, 0x2A], at: data + 3),
            let width = bytes.number(at: data + 6, bytes: 2, .littleEndian),
            let height = bytes.number(at: data + 8, bytes: 2, .littleEndian)
        else { return nil }
        return ImageSize(width: width & 0x3FFF, height: height & 0x3FFF)
    }

    /// Returns the size in a lossless image (RFC 9649 §3.4).
    ///
    /// It has a signature, 14 bits each of width and height minus one, 1 bit for alpha and 3 for the version.
    private static func losslessSize(in bytes: ImageBytes) -> ImageSize? {
        guard bytes[data] == 0x2F, let bits = bytes.number(at: data + 1, bytes: 4, .littleEndian), bits >> 29 == 0
        else { return nil }
        return ImageSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
    }

    /// Returns the size in an extended header (RFC 9649 §2.7).
    ///
    /// It has flags, then 24 bits each of the canvas's width and height minus one.
    private static func canvasSize(in bytes: ImageBytes) -> ImageSize? {
        guard let width = bytes.number(at: data + 4, bytes: 3, .littleEndian),
            let height = bytes.number(at: data + 7, bytes: 3, .littleEndian)
        else { return nil }
        return ImageSize(width: width + 1, height: height + 1)
    }
}
