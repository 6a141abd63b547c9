/// What tells a format of images and how large an image is.
///
/// To add a format: conform in a file of its own here and add a case to ``ImageFormat``.
protocol ImageHeader {
    /// Whether the bytes begin as images of the format do.
    static func begins(_ bytes: ImageBytes) -> Bool

    /// The size of an image, whose bytes begin as they should; `nil` when its header is damaged.
    ///
    /// A width or height of 0 is damage too, which the caller sees to.
    static func size(in bytes: ImageBytes) -> ImageSize?
}
