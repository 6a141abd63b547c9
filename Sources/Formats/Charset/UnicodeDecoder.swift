/// A decoder of the encoding forms of Unicode.
///
/// Malformed sequences become U+FFFD and are reported.
enum UnicodeDecoder {
    static func utf8(_ bytes: ArraySlice<UInt8>) -> (text: String, isWellFormed: Bool) {
        if let text = String(validating: bytes, as: UTF8.self) { return (text, true) }
        return (String(decoding: bytes, as: UTF8.self), false)
    }

    static func utf16(_ bytes: ArraySlice<UInt8>, _ order: ByteOrder) -> (text: String, isWellFormed: Bool) {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2 + 1)
        var rest = bytes
        while rest.count >= 2 { units.append(UInt16(truncatingIfNeeded: order.number(from: rest.removePrefix(2)))) }
        if rest.isEmpty, let text = String(validating: units, as: UTF16.self) { return (text, true) }
        if !rest.isEmpty { units.append(0xFFFD) }
        return (String(decoding: units, as: UTF16.self), false)
    }

    static func utf32(_ bytes: ArraySlice<UInt8>, _ order: ByteOrder) -> (text: String, isWellFormed: Bool) {
        var scalars = String.UnicodeScalarView()
        var isWellFormed = true
        var rest = bytes
        while !rest.isEmpty {
            // A scalar has four bytes; fewer bytes at the end are malformed.
            let unit = rest.removePrefix(4)
            if unit.count == 4, let scalar = Unicode.Scalar(order.number(from: unit)) {
                scalars.append(scalar)
            } else {
                scalars.append("\u{FFFD}")
                isWellFormed = false
            }
        }
        return (String(scalars), isWellFormed)
    }
}

extension ArraySlice<UInt8> {
    /// Removes and returns the first `count` bytes, or all if there are fewer.
    fileprivate mutating func removePrefix(_ count: Int) -> Self {
        let prefix = prefix(count)
        removeFirst(prefix.count)
        return prefix
    }
}

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
