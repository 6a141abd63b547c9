/// A part of a file.
///
/// If the file cannot be opened, or is shorter than the region, the response becomes a 500.
public struct FileRegion: Sendable {
    /// The file's path.
    public var path: String
    /// The position of the first byte.
    public var offset: Int64
    /// The number of bytes.
    public var length: Int64

    /// Creates a region of the file at `path`.
    public init(path: String, offset: Int64, length: Int64) {
        self.path = path
        self.offset = offset
        self.length = length
    }
}
