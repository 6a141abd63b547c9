/// The header of GIF images (GIF89a §17, §18): a signature, then the size of the logical screen.
enum GIFHeader: ImageHeader {
    static func begins(_ bytes: ImageBytes) -> Bool {
        bytes.has("GIF87a") || bytes.has("GIF89a")
    }

    static func size(in bytes: ImageBytes) -> ImageSize? {
        guard let width = bytes.number(at: 6, bytes: 2, .littleEndian),
            let height = bytes.number(at: 8, bytes: 2, .littleEndian), bytes.count >= 13
        else { return nil }
        return ImageSize(width: width, height: height)
    }
}
