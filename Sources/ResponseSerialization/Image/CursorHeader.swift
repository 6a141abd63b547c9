/// Windows cursors: icons but for one byte, and for the hot spots in the place of numbers that do not matter here.
enum CursorHeader: ImageHeader {
    static func begins(_ bytes: ImageBytes) -> Bool {
        bytes.has([0, 0, 2, 0])
    }

    static func size(in bytes: ImageBytes) -> ImageSize? {
        IconHeader.size(in: bytes)
    }
}
