/// An IPv4 or IPv6 address.
///
/// An IPv4-mapped IPv6 address is not equal to the IPv4 address in it: they are told apart as sockets tell them apart,
/// and ``EgressRule`` looks into the one for the other.
public enum IPAddress: Sendable, Hashable {
    /// The 32 bits of an IPv4 address.
    case v4(UInt32)
    /// The two halves of an IPv6 address.
    case v6(UInt64, UInt64)

    /// The address in network byte order: 4 bytes or 16, any other number is refused with `nil`.
    public init?(bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16: self = .v6(Self.half(bytes.prefix(8)), Self.half(bytes.dropFirst(8)))
        default: return nil
        }
    }

    /// An IPv6 address of eight groups, the missing ones zero.
    init(groups: [UInt16]) {
        let whole = groups.prefix(8) + Array(repeating: 0, count: max(0, 8 - groups.count))
        self = .v6(
            whole.prefix(4).reduce(0) { $0 << 16 | UInt64($1) }, whole.dropFirst(4).reduce(0) { $0 << 16 | UInt64($1) })
    }

    /// The address in network byte order: 4 bytes or 16.
    public var bytes: [UInt8] {
        switch self {
        case .v4(let bits): Self.bytes(of: bits)
        case .v6(let high, let low): Self.bytes(of: high) + Self.bytes(of: low)
        }
    }

    /// How many bits an address of this version has: 32 or 128.
    var bitWidth: Int {
        switch self {
        case .v4: 32
        case .v6: 128
        }
    }

    /// The address with all bits zero behind the first `count`.
    func masked(to count: Int) -> IPAddress {
        switch self {
        case .v4(let bits): .v4(bits & Self.mask(count))
        case .v6(let high, let low): .v6(high & Self.mask(count), low & Self.mask(count - 64))
        }
    }

    /// So many leading ones: none for a negative count, at most all.
    private static func mask<Bits: FixedWidthInteger>(_ count: Int) -> Bits {
        // A shift by the width or more gives zero; one by less than nothing shifts the other way.
        count <= 0 ? 0 : ~0 << (Bits.bitWidth - min(count, Bits.bitWidth))
    }

    private static func half(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func bytes<Bits: FixedWidthInteger>(of bits: Bits) -> [UInt8] {
        stride(from: Bits.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> $0) }
    }
}
