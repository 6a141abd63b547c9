/// Which byte of a number comes first.
enum ByteOrder: Sendable, Hashable {
    case littleEndian
    case bigEndian

    /// The number that up to four bytes are.
    func number(from bytes: ArraySlice<UInt8>) -> UInt32 {
        switch self {
        case .bigEndian: bytes.reduce(0) { $0 << 8 | UInt32($1) }
        case .littleEndian: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
}
