/// A block of addresses that is not assigned to hosts of the public Internet.
///
/// The blocks are those of the IANA special-purpose address registries (RFC 6890) and others that do not belong to
/// public hosts.
struct SpecialNetwork: Sendable {
    /// The meaning of the addresses in a block.
    enum Content: Sendable, Hashable {
        /// Addresses that are never public, whatever addresses they embed.
        case notPublic
        /// Addresses that embed IPv4 addresses and are public if those are.
        case carrier
    }

    /// The block.
    let network: IPNetwork
    /// The purpose of the block.
    let name: String
    /// The document that defines the block.
    let source: String
    /// The meaning of the addresses in the block.
    let content: Content
    /// The positions of embedded IPv4 addresses.
    let carries: [CarriedIPv4]

    /// Creates a block.
    init(
        _ network: IPNetwork, name: String, source: String, content: Content = .notPublic,
        carries: [CarriedIPv4] = []
    ) {
        self.network = network
        self.name = name
        self.source = source
        self.content = content
        self.carries = carries
    }

    /// A Boolean value that indicates whether no address of the block is public.
    var isPrivate: Bool { content == .notPublic }

    /// Returns the first block that contains the address; `nil` for a host of the public Internet.
    static func of(_ address: IPAddress) -> SpecialNetwork? {
        switch address {
        case .v4: v4.first { $0.network.contains(address) }
        case .v6: v6.first { $0.network.contains(address) } ?? (unicast.contains(address) ? nil : unallocated)
        }
    }
}

/// The position of an IPv4 address within an IPv6 address.
struct CarriedIPv4: Sendable, Hashable {
    /// The index of its first bit, from the left.
    var offset: Int
    /// A Boolean value that indicates whether its bits are inverted, as in Teredo.
    var isInverted = false
    /// A Boolean value that indicates whether bits 64 to 71 are skipped (RFC 6052 §2.2).
    var skipsBits64To71 = false

    /// Returns the IPv4 address embedded in the halves of an IPv6 address.
    func address(in high: UInt64, _ low: UInt64) -> IPAddress {
        var (high, low) = (high, low)
        if skipsBits64To71 {
            // Closes the gap: the eight bits at 72 move to 64, and so on.
            low <<= 8
        }
        let bits: UInt64
        switch offset {
        case ..<33: bits = high >> (32 - offset)
        case 33..<64: bits = high << (offset - 32) | low >> (96 - offset)
        default: bits = low >> (96 - offset)
        }
        high = isInverted ? ~bits : bits
        return .v4(UInt32(truncatingIfNeeded: high))
    }
}

extension IPAddress {
    /// The IPv4 addresses that may be embedded in an IPv6 address, by its block and its interface identifier.
    var carried: [IPAddress] {
        guard case .v6(let high, let low) = self else { return [] }
        var places = SpecialNetwork.of(self)?.carries ?? []
        // ISATAP (RFC 5214 §6.1): 0000:5efe or, of a global address, 0200:5efe, then the IPv4 address.
        if low >> 32 & ~0x0200_0000 == 0x5EFE { places.append(CarriedIPv4(offset: 96)) }
        return places.map { $0.address(in: high, low) }
    }
}
