/// An IPv4 or IPv6 address.
///
/// An IPv4-mapped IPv6 address is not equal to its IPv4 address, just as sockets distinguish them; ``EgressRule``
/// checks the embedded address as well.
public enum IPAddress: Sendable, Hashable {
    /// The 32 bits of an IPv4 address.
    case v4(UInt32)
    /// The two halves of an IPv6 address.
    case v6(UInt64, UInt64)

    /// Creates an address from 4 or 16 bytes in network byte order; returns `nil` for other lengths.
    public init?(bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16: self = .v6(Self.half(bytes.prefix(8)), Self.half(bytes.dropFirst(8)))
        default: return nil
        }
    }

    /// Creates an IPv6 address from up to eight groups; missing ones are zero.
    init(groups: [UInt16]) {
        let whole = groups.prefix(8) + Array(repeating: 0, count: max(0, 8 - groups.count))
        self = .v6(
            whole.prefix(4).reduce(0) { $0 << 16 | UInt64($1) }, whole.dropFirst(4).reduce(0) { $0 << 16 | UInt64($1) })
    }

    /// The 4 or 16 bytes in network byte order.
    public var bytes: [UInt8] {
        switch self {
        case .v4(let bits): Self.bytes(of: bits)
        case .v6(let high, let low): Self.bytes(of: high) + Self.bytes(of: low)
        }
    }

    /// The number of bits of an address of this version: 32 or 128.
    var bitWidth: Int {
        switch self {
        case .v4: 32
        case .v6: 128
        }
    }

    /// Returns the address with all bits after the first `count` set to zero.
    func masked(to count: Int) -> IPAddress {
        switch self {
        case .v4(let bits): .v4(bits & Self.mask(count))
        case .v6(let high, let low): .v6(high & Self.mask(count), low & Self.mask(count - 64))
        }
    }

    /// Returns a mask with `count` leading ones; none for a negative count, at most all bits.
    private static func mask<Bits: FixedWidthInteger>(_ count: Int) -> Bits {
        // Shifting by the full width or more yields zero; a negative shift would go in the other direction.
        count <= 0 ? 0 : ~0 << (Bits.bitWidth - min(count, Bits.bitWidth))
    }

    private static func half(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func bytes<Bits: FixedWidthInteger>(of bits: Bits) -> [UInt8] {
        stride(from: Bits.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> $0) }
    }
}
