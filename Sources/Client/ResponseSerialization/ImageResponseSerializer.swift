public import ErrandHTTPGrammar
import ErrandJSON

/// Returns the format and the size of an image: `{"format":"png","width":640,"height":480}`.
///
/// The first bytes determine the format, not the content type. Pixels are not decoded: an image with a valid header may
/// still be damaged after it. The content remains available as the response's body.
///
/// | `format` | Size, in pixels |
/// | --- | --- |
/// | `png`, `jpeg`, `gif`, `webp`, `bmp`, `xbm` | of the image, of the canvas if it is animated |
/// | `tiff` | of the first image in the file |
/// | `ico`, `cur` | of the largest image in the file |
///
/// The size is that of the stored pixels: a rotation in the metadata is not applied.
public struct ImageResponseSerializer: ResponseSerializer {
    /// Creates a serializer.
    public init() {}

    /// The content types for TIFF, JPEG, GIF, PNG, icons and bitmaps as in AFNetworking, plus the other types
    /// of the formats, including WebP's.
    public var acceptableContentTypes: [MediaRange]? { Self.contentTypes }

    /// Reads the header of the image.
    ///
    /// - Throws: ``ResponseSerializationError/Kind/unacceptableContent`` if the content is not an image of a supported
    ///   format, or its header is damaged.
    public func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse {
        guard !content.isEmpty else { return SerializedResponse(.none, by: .image) }
        guard let format = ImageFormat(of: content) else {
            throw ResponseSerializationError(
                "The content is not an image of a supported format", kind: .unacceptableContent)
        }
        guard let size = format.header.size(in: ImageBytes(content)), size.width > 0, size.height > 0 else {
            throw ResponseSerializationError(
                "The header of the \(format.rawValue) image is damaged", kind: .unacceptableContent)
        }
        var writer = JSONWriter(capacity: 64)
        writer.beginObject()
        writer.member("format", format.rawValue)
        writer.member("width", size.width)
        writer.member("height", size.height)
        writer.endObject()
        return SerializedResponse(.json(writer.bytes), by: .image)
    }

    private static let contentTypes = [
        "tiff", "jpeg", "gif", "png", "ico", "x-icon", "bmp", "x-bmp", "x-xbitmap", "x-win-bitmap",
        "webp", "vnd.microsoft.icon", "x-ms-bmp",
    ].map { MediaRange(type: "image", subtype: $0) }
}

extension ResponseSerializer where Self == ImageResponseSerializer {
    /// Returns a serializer that reads the format and size of images.
    public static var image: Self { ImageResponseSerializer() }
}
