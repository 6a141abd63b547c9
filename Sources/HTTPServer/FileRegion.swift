/// A part of a file.
///
/// When it cannot be opened, or is shorter than the region, the answer becomes a 500.
public struct FileRegion: Sendable {
    /// The file's path.
    public var path: String
    /// The first byte.
    public var offset: Int64
    /// How many bytes.
    public var length: Int64

    /// Creates a region of the file at `path`.
    public init(path: String, offset: Int64, length: Int64) {
        self.path = path
        self.offset = offset
        self.length = length
    }
}
