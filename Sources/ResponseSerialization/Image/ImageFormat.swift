/// The formats of images whose headers are read, by the names that objects have.
enum ImageFormat: String, Sendable, CaseIterable {
    case png
    case jpeg
    case gif
    case webp
    case bmp
    case tiff
    case ico
    case cur
    case xbm

    /// The format that `content` begins like; `nil` when it is none of these.
    init?(of content: [UInt8]) {
        let bytes = ImageBytes(content)
        guard let format = Self.allCases.first(where: { $0.header.begins(bytes) }) else { return nil }
        self = format
    }

    /// What reads its header.
    var header: any ImageHeader.Type {
        switch self {
        case .png: PNGHeader.self
        case .jpeg: JPEGHeader.self
        case .gif: GIFHeader.self
        case .webp: WebPHeader.self
        case .bmp: BMPHeader.self
        case .tiff: TIFFHeader.self
        case .ico: IconHeader.self
        case .cur: CursorHeader.self
        case .xbm: XBMHeader.self
        }
    }
}
