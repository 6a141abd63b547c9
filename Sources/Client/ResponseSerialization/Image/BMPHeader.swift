/// The headers of Windows bitmaps: a file header of 14 bytes, then one of several headers that start with their size.
enum BMPHeader: ImageHeader {
    static func begins(_ bytes: ImageBytes) -> Bool {
        bytes.has("BM")
    }

    static func size(in bytes: ImageBytes) -> ImageSize? {
        guard let length = bytes.number(at: 14, bytes: 4, .littleEndian), bytes.slice(14, length) != nil else {
            return nil
        }
        switch length {
        case 12:
            // BITMAPCOREHEADER of OS/2 1.
            guard let width = bytes.number(at: 18, bytes: 2, .littleEndian),
                let height = bytes.number(at: 20, bytes: 2, .littleEndian)
            else { return nil }
            return ImageSize(width: width, height: height)
        case 16, 40, 52, 56, 64, 108, 124:
            // OS/2 2, BITMAPINFOHEADER and its successors. A negative height means rows from top to bottom.
            guard let width = bytes.signedNumber(at: 18, .littleEndian),
                let height = bytes.signedNumber(at: 22, .littleEndian)
            else { return nil }
            return ImageSize(width: width, height: abs(height))
        default:
            return nil
        }
    }
}
