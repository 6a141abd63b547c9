/// A part of a representation, as bytes (RFC 9110 §14).
public struct ByteRange: Sendable, Hashable {
    /// The position of the first byte.
    public var offset: Int64
    /// The number of bytes, at least one.
    public var length: Int64

    /// Creates a range of `length` bytes that starts at `offset`.
    public init(offset: Int64, length: Int64) {
        self.offset = offset
        self.length = length
    }

    /// Returns the value of `Content-Range` in a 206 for a representation of `size` bytes: `bytes 0-9/100`.
    public func contentRange(size: Int64) -> String {
        "bytes \(offset)-\(offset + length - 1)/\(size)"
    }
}
