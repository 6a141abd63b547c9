/// The header of PNG images (RFC 2083, W3C PNG §11.2.1): a signature, then the chunk IHDR.
enum PNGHeader: ImageHeader {
    static func begins(_ bytes: ImageBytes) -> Bool {
        bytes.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    }

    static func size(in bytes: ImageBytes) -> ImageSize? {
        guard bytes.number(at: 8, bytes: 4, .bigEndian) == 13, bytes.has("IHDR", at: 12), bytes.count >= 33,
            let width = bytes.number(at: 16, bytes: 4, .bigEndian),
            let height = bytes.number(at: 20, bytes: 4, .bigEndian),
            width <= greatestNumber, height <= greatestNumber
        else { return nil }
        return ImageSize(width: width, height: height)
    }

    /// The largest four-byte number that PNG allows (§7.1).
    private static let greatestNumber = Int(Int32.max)
}
