/// A set of ASCII characters.
///
/// Public, because the compiler inlines public functions into other modules, and package functions never.
public struct ASCIISet: Sendable {
    /// The characters 0 to 63, one bit each.
    @usableFromInline let low: UInt64
    /// The characters 64 to 127, one bit each.
    @usableFromInline let high: UInt64

    /// Creates a set of the ASCII characters of a text.
    public init(_ characters: String) {
        var bits: (low: UInt64, high: UInt64) = (0, 0)
        for byte in characters.utf8 where byte < 0x80 {
            if byte < 64 { bits.low |= 1 << UInt64(byte) } else { bits.high |= 1 << UInt64(byte - 64) }
        }
        (low, high) = bits
    }

    private init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Returns the set with the characters of a text added.
    public func union(_ characters: String) -> ASCIISet {
        let other = ASCIISet(characters)
        return ASCIISet(low: low | other.low, high: high | other.high)
    }

    /// Returns true if a byte is one of the characters.
    @inlinable
    public func contains(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }

    /// The unreserved characters of URLs (RFC 3986 §2.3): letters, digits and `-._~`.
    public static let unreserved = ASCIISet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
