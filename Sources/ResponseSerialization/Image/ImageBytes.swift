/// The bytes of an image, of which numbers are read at any place: what lies outside is `nil`.
struct ImageBytes: Sendable {
    private let bytes: [UInt8]

    /// Reads `bytes`.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// How many there are.
    var count: Int { bytes.count }

    /// Which byte of a number comes first.
    enum Order: Sendable {
        case littleEndian
        case bigEndian
    }

    /// Whether the ASCII characters of `text` stand at a place.
    func has(_ text: StaticString, at offset: Int = 0) -> Bool {
        has(Array(text.description.utf8), at: offset)
    }

    /// Whether bytes stand at a place.
    func has(_ expected: [UInt8], at offset: Int = 0) -> Bool {
        guard let found = slice(offset, expected.count) else { return false }
        return found.elementsEqual(expected)
    }

    /// The byte at a place.
    subscript(offset: Int) -> Int? {
        number(at: offset, bytes: 1, .bigEndian)
    }

    /// The unsigned number of up to four bytes at a place.
    func number(at offset: Int, bytes count: Int, _ order: Order) -> Int? {
        guard let digits = slice(offset, count) else { return nil }
        return switch order {
        case .bigEndian: digits.reduce(0) { $0 << 8 | Int($1) }
        case .littleEndian: digits.reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }

    /// The signed number of four bytes at a place.
    func signedNumber(at offset: Int, _ order: Order) -> Int? {
        number(at: offset, bytes: 4, order).map { Int(Int32(truncatingIfNeeded: $0)) }
    }

    /// `count` bytes from a place on.
    func slice(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
        return bytes[offset..<offset + count]
    }
}
