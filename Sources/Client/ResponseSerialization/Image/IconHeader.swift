/// The header of Windows icons: a directory of images of several sizes, of which the largest is used.
enum IconHeader: ImageHeader {
    static func begins(_ bytes: ImageBytes) -> Bool {
        bytes.has([0, 0, 1, 0])
    }

    static func size(in bytes: ImageBytes) -> ImageSize? {
        guard let count = bytes.number(at: 4, bytes: 2, .littleEndian), count > 0 else { return nil }
        var largest: ImageSize?
        // The count has two bytes, so the loop is short for every file.
        for index in 0..<count {
            guard let size = entrySize(in: bytes, at: 6 + index * 16) else { return nil }
            guard let other = largest, other.width * other.height >= size.width * size.height else {
                largest = size
                continue
            }
        }
        return largest
    }

    /// Returns the size in a directory entry; `nil` if the entry's image is not in the file.
    private static func entrySize(in bytes: ImageBytes, at entry: Int) -> ImageSize? {
        guard let width = bytes[entry], let height = bytes[entry + 1],
            let length = bytes.number(at: entry + 8, bytes: 4, .littleEndian), length > 0,
            let offset = bytes.number(at: entry + 12, bytes: 4, .littleEndian),
            bytes.slice(offset, length) != nil
        else { return nil }
        // The value 0 stands for 256, which does not fit in one byte.
        return ImageSize(width: width == 0 ? 256 : width, height: height == 0 ? 256 : height)
    }
}

/// The headers of Windows cursors: like icons except for one byte, and with hot spots in place of numbers not read
/// here.
enum CursorHeader: ImageHeader {
    static func begins(_ bytes: ImageBytes) -> Bool {
        bytes.has([0, 0, 2, 0])
    }

    static func size(in bytes: ImageBytes) -> ImageSize? {
        IconHeader.size(in: bytes)
    }
}
