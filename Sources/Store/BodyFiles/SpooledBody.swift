/// The complete content of a response.
package struct SpooledBody: Sendable, Hashable {
    /// The number of bytes.
    package var size: Int64
    /// The SHA-256 of the bytes (32 bytes).
    package var sha256: [UInt8]
    /// The location of the bytes.
    package var location: Location

    /// The location of the bytes.
    package enum Location: Sendable, Hashable {
        /// In memory.
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
