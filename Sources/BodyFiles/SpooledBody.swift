/// Content that was taken in completely.
package struct SpooledBody: Sendable, Hashable {
    /// The number of bytes.
    package var size: Int64
    /// The SHA-256 of the bytes, 32 of them.
    package var sha256: [UInt8]
    /// Where the bytes are.
    package var location: Location

    /// Where the bytes are.
    package enum Location: Sendable, Hashable {
        /// Here.
        case inline([UInt8])
        /// In the file at this path.
        case file(String)
    }

    /// Creates a body from its parts.
    package init(size: Int64, sha256: [UInt8], location: Location) {
        self.size = size
        self.sha256 = sha256
        self.location = location
    }
}
