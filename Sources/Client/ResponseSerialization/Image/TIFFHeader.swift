/// The header of TIFF images (6.0, §2): a byte order, then the offset of the first directory, which has the size.
enum TIFFHeader: ImageHeader {
    static func begins(_ bytes: ImageBytes) -> Bool {
        bytes.has([0x49, 0x49, 0x2A, 0x00]) || bytes.has([0x4D, 0x4D, 0x00, 0x2A])
    }

    static func size(in bytes: ImageBytes) -> ImageSize? {
        let order: ImageBytes.Order = bytes.has("II") ? .littleEndian : .bigEndian
        guard let directory = bytes.number(at: 4, bytes: 4, order), directory >= 8,
            let count = bytes.number(at: directory, bytes: 2, order)
        else { return nil }
        var width: Int?
        var height: Int?
        // The count has two bytes, so the loop is short for every file.
        for index in 0..<count {
            let entry = directory + 2 + index * 12
            guard let tag = bytes.number(at: entry, bytes: 2, order) else { return nil }
            switch tag {
            case imageWidth: width = value(of: entry, in: bytes, order)
            case imageLength: height = value(of: entry, in: bytes, order)
            default: break
            }
        }
        guard let width, let height else { return nil }
        return ImageSize(width: width, height: height)
    }

    private static let imageWidth = 256
    private static let imageLength = 257

    /// Returns the single SHORT or LONG of an entry, which is stored in the entry itself.
    private static func value(of entry: Int, in bytes: ImageBytes, _ order: ImageBytes.Order) -> Int? {
        guard bytes.number(at: entry + 4, bytes: 4, order) == 1 else { return nil }
        switch bytes.number(at: entry + 2, bytes: 2, order) {
        case 3: return bytes.number(at: entry + 8, bytes: 2, order)
        case 4: return bytes.number(at: entry + 8, bytes: 4, order)
        default: return nil
        }
    }
}
