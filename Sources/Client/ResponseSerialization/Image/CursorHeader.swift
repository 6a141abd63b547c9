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
