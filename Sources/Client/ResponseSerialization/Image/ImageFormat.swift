/// The supported image formats, by their names in objects.
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

    /// Detects the format by the first bytes of `content`; returns `nil` if it is not supported.
    init?(of content: [UInt8]) {
        let bytes = ImageBytes(content)
        guard let format = Self.allCases.first(where: { $0.header.begins(bytes) }) else { return nil }
        self = format
    }

    /// The reader of the format's header.
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
