/// Reads numbers at any offset of an image; results are `nil` outside its bytes.
struct ImageBytes: Sendable {
    private let bytes: [UInt8]

    /// Creates a reader of `bytes`.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The number of bytes.
    var count: Int { bytes.count }

    /// The byte order of a number.
    enum Order: Sendable {
        case littleEndian
        case bigEndian
    }

    /// Returns whether the ASCII characters of `text` are at an offset.
    func has(_ text: StaticString, at offset: Int = 0) -> Bool {
        has(Array(text.description.utf8), at: offset)
    }

    /// Returns whether the given bytes are at an offset.
    func has(_ expected: [UInt8], at offset: Int = 0) -> Bool {
        guard let found = slice(offset, expected.count) else { return false }
        return found.elementsEqual(expected)
    }

    /// The byte at an offset.
    subscript(offset: Int) -> Int? {
        number(at: offset, bytes: 1, .bigEndian)
    }

    /// Returns the unsigned number of up to four bytes at an offset.
    func number(at offset: Int, bytes count: Int, _ order: Order) -> Int? {
        guard let digits = slice(offset, count) else { return nil }
        return switch order {
        case .bigEndian: digits.reduce(0) { $0 << 8 | Int($1) }
        case .littleEndian: digits.reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }

    /// Returns the signed number of four bytes at an offset.
    func signedNumber(at offset: Int, _ order: Order) -> Int? {
        number(at: offset, bytes: 4, order).map { Int(Int32(truncatingIfNeeded: $0)) }
    }

    /// Returns `count` bytes from an offset.
    func slice(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
        return bytes[offset..<offset + count]
    }
}
