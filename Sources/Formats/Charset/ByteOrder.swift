/// The byte order of a number.
enum ByteOrder: Sendable, Hashable {
    case littleEndian
    case bigEndian

    /// Returns the number that up to four bytes encode.
    func number(from bytes: ArraySlice<UInt8>) -> UInt32 {
        switch self {
        case .bigEndian: bytes.reduce(0) { $0 << 8 | UInt32($1) }
        case .littleEndian: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
}
