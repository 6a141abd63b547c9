/// A network: an address and how many of its leading bits count (RFC 4632, RFC 4291 §2.3).
public struct IPNetwork: Sendable, Hashable {
    /// The address, the bits behind the prefix zero.
    public let address: IPAddress
    /// How many leading bits count: 0…32 or 0…128.
    public let prefixLength: Int

    /// The network of all addresses that begin like this one; more bits than there are count as all.
    public init(containing address: IPAddress, prefixLength: Int) {
        let length = min(max(prefixLength, 0), address.bitWidth)
        self.address = address.masked(to: length)
        self.prefixLength = length
    }

    /// Reads a network such as `10.0.0.0/8` or `2001:db8::/32`, or one address, which is a network by itself.
    ///
    /// Networks of IPv4-mapped addresses, such as `::ffff:10.0.0.0/104`, are the IPv4 networks that they stand for.
    ///
    /// - Throws: What is wrong: the address or the length, or that bits behind the prefix are not zero, which is
    ///   more often a mistake than meant.
    public init(_ text: some StringProtocol) throws(IPNetworkError) {
        let slash = text.utf8.firstIndex(of: UInt8(ascii: "/"))
        guard let address = IPAddress(text[..<(slash ?? text.endIndex)]) else { throw .notAnAddress }
        var length = address.bitWidth
        if let slash {
            let digits = text[text.utf8.index(after: slash)...]
            guard let written = Self.length(digits), written <= length else { throw .badPrefix }
            length = written
        }
        guard address.masked(to: length) == address else { throw .bitsBehindPrefix }
        if case .v6(0, let low) = address, low >> 32 == 0xFFFF, length >= 96 {
            self.init(containing: .v4(UInt32(truncatingIfNeeded: low)), prefixLength: length - 96)
        } else {
            self.init(containing: address, prefixLength: length)
        }
    }

    /// One to three decimal digits without leading zeros.
    private static func length(_ text: some StringProtocol) -> Int? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), text.utf8.count <= 3,
            text == "0" || text.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int(text)
    }

    /// Whether an address of the same version begins like the network's.
    public func contains(_ other: IPAddress) -> Bool {
        // Masking keeps the version, and addresses of two versions are never equal.
        other.masked(to: prefixLength) == address
    }
}

extension IPNetwork: CustomStringConvertible {
    /// `10.0.0.0/8`; a network of one address without its length.
    public var description: String {
        prefixLength == address.bitWidth ? "\(address)" : "\(address)/\(prefixLength)"
    }
}

/// Why a text is no network.
///
/// It never repeats the text.
public enum IPNetworkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The address is none, or is written in a form that can be mistaken.
    case notAnAddress
    /// What follows the slash is no number of bits that an address has.
    case badPrefix
    /// Bits are set that do not count.
    case bitsBehindPrefix

    /// A sentence without a full stop.
    public var description: String {
        switch self {
        case .notAnAddress: "the address is none: four decimal numbers, or groups of hexadecimal digits"
        case .badPrefix: "the number of bits after the slash is at most 32 for IPv4, 128 for IPv6"
        case .bitsBehindPrefix: "the address has bits behind the prefix; a network is written with its first address"
        }
    }
}
