/// An encoding of the C library, with its differences from the Encoding Standard.
struct LibraryEncoding: Sendable, Hashable {
    /// The C library's name of the encoding.
    let name: String
    let kind: Kind

    enum Kind: Sendable, Hashable {
        /// No differences.
        case plain
        /// A Windows code page: bytes from 0x80 to 0x9F without a character are the C1 controls of the same number.
        case windows
        /// An encoding in which escape sequences switch between character sets.
        case escaped
    }

    init(_ name: String, _ kind: Kind = .plain) {
        self.name = name
        self.kind = kind
    }

    /// Returns the replacement of a byte without a meaning.
    func replacement(for byte: UInt8) -> Unicode.Scalar {
        kind == .windows && 0x80...0x9F ~= byte ? Unicode.Scalar(byte) : "\u{FFFD}"
    }
}
