/// The header of JPEG images (ITU-T T.81, annex B): segments up to the frame header, SOFn, with the size.
///
/// An image whose height only follows its first scan (DNL, B.2.5) counts as damaged, as in most decoders.
enum JPEGHeader: ImageHeader {
    static func begins(_ bytes: ImageBytes) -> Bool {
        bytes.has([0xFF, 0xD8, 0xFF])
    }

    static func size(in bytes: ImageBytes) -> ImageSize? {
        var offset = 2
        while bytes[offset] == 0xFF, let marker = bytes[offset + 1] {
            switch marker {
            case 0xFF:
                // Any number of fill bytes may precede a marker (B.1.1.2).
                offset += 1
                continue
            case 0x01, 0xD0...0xD7:
                // Markers without a segment.
                offset += 2
                continue
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                return frameSize(in: bytes, at: offset + 2)
            case 0x00, 0xD8, 0xD9, 0xDA:
                // A scan, the end or another image before any frame.
                return nil
            default:
                break
            }
            guard let length = bytes.number(at: offset + 2, bytes: 2, .bigEndian), length >= 2 else { return nil }
            offset += 2 + length
        }
        return nil
    }

    /// Returns the size in a frame header: length, precision, height, width, components.
    private static func frameSize(in bytes: ImageBytes, at offset: Int) -> ImageSize? {
        guard let length = bytes.number(at: offset, bytes: 2, .bigEndian), length >= 11,
            let height = bytes.number(at: offset + 3, bytes: 2, .bigEndian),
            let width = bytes.number(at: offset + 5, bytes: 2, .bigEndian),
            bytes.slice(offset, length) != nil
        else { return nil }
        return ImageSize(width: width, height: height)
    }
}
