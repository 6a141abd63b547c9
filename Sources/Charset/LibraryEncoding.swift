/// An encoding that the C library reads, and what it does not know about it.
struct LibraryEncoding: Sendable, Hashable {
    /// The C library's name for it.
    let name: String
    let kind: Kind

    enum Kind: Sendable, Hashable {
        /// Nothing is different.
        case plain
        /// One of Windows' code pages: of the bytes 0x80 to 0x9F, those without a character are the C1 controls of
        /// their numbers.
        case windows
        /// Escape sequences switch between sets of characters.
        case escaped
    }

    init(_ name: String, _ kind: Kind = .plain) {
        self.name = name
        self.kind = kind
    }

    /// What stands for a byte that means nothing.
    func replacement(for byte: UInt8) -> Unicode.Scalar {
        kind == .windows && 0x80...0x9F ~= byte ? Unicode.Scalar(byte) : "\u{FFFD}"
    }
}
