/// The header of X bitmaps: C source that begins with `#define name_width 16` and `#define name_height 16`.
enum XBMHeader: ImageHeader {
    static func begins(_ bytes: ImageBytes) -> Bool {
        bytes.has("#define ")
    }

    static func size(in bytes: ImageBytes) -> ImageSize? {
        let head = String(decoding: bytes.slice(0, min(bytes.count, lengthOfHead)) ?? [], as: UTF8.self)
        // A definition is complete only if another line follows it.
        let lines = head.split(whereSeparator: \.isNewline).prefix(3).map { $0.split(whereSeparator: \.isWhitespace) }
        guard lines.count == 3, let width = number("_width", in: lines[0]), let height = number("_height", in: lines[1])
        else { return nil }
        return ImageSize(width: width, height: height)
    }

    /// The number of bytes within which width and height must be defined.
    private static let lengthOfHead = 512

    private static func number(_ suffix: String, in line: [Substring]) -> Int? {
        guard line.count == 3, line[0] == "#define", line[1].hasSuffix(suffix) else { return nil }
        return UInt16(line[2]).map(Int.init)
    }
}
