/// Detects an image format and reads the size of an image.
///
/// To add a format, conform in a separate file here and add a case to ``ImageFormat``.
protocol ImageHeader {
    /// Returns whether the bytes begin like images of the format.
    static func begins(_ bytes: ImageBytes) -> Bool

    /// Returns the size of an image whose first bytes were recognised; `nil` if its header is damaged.
    ///
    /// The caller treats a width or height of 0 as damage too.
    static func size(in bytes: ImageBytes) -> ImageSize?
}

/// The size of an image in pixels.
struct ImageSize: Sendable, Hashable {
    var width: Int
    var height: Int
}
