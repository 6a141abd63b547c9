/// A block of addresses that is set aside for something else than hosts of the public Internet.
///
/// The blocks are those of the IANA special-purpose address registries (RFC 6890), and what has to be told from hosts
/// besides.
struct SpecialNetwork: Sendable {
    /// What is in an address of the block.
    enum Content: Sendable, Hashable {
        /// No host of the public Internet, whatever else is in the address.
        case notPublic
        /// IPv4 addresses: the block is as public as they are.
        case carrier
    }

    /// The block.
    let network: IPNetwork
    /// What the block is for.
    let name: String
    /// Who says so.
    let source: String
    /// What is in an address of the block.
    let content: Content
    /// Where in an address IPv4 addresses are.
    let carries: [CarriedIPv4]

    /// Declares a block.
    init(
        _ network: IPNetwork, _ name: String, _ source: String, _ content: Content = .notPublic,
        carries: [CarriedIPv4] = []
    ) {
        self.network = network
        self.name = name
        self.source = source
        self.content = content
        self.carries = carries
    }

    /// Whether no address of the block is public.
    var isPrivate: Bool { content == .notPublic }

    /// The first of the blocks that the address is in; `nil` for a host of the public Internet.
    static func of(_ address: IPAddress) -> SpecialNetwork? {
        switch address {
        case .v4: v4.first { $0.network.contains(address) }
        case .v6: v6.first { $0.network.contains(address) } ?? (unicast.contains(address) ? nil : unallocated)
        }
    }
}

/// Where in an IPv6 address an IPv4 address is.
struct CarriedIPv4: Sendable, Hashable {
    /// Where its bits begin, from the left.
    var offset: Int
    /// Whether each bit is the other one, as Teredo has it.
    var isInverted = false
    /// Whether bits 64 to 71 are left out (RFC 6052 §2.2).
    var skipsBits64To71 = false

    /// The IPv4 address in the halves of an IPv6 address.
    func address(in high: UInt64, _ low: UInt64) -> IPAddress {
        var (high, low) = (high, low)
        if skipsBits64To71 {
            // Close the gap: the eight bits at 72 move to 64, and so on.
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
    /// The IPv4 addresses that may be in an IPv6 address, by its block and by the identifier of its interface.
    var carried: [IPAddress] {
        guard case .v6(let high, let low) = self else { return [] }
        var places = SpecialNetwork.of(self)?.carries ?? []
        // ISATAP (RFC 5214 §6.1): 0000:5efe or, of a global address, 0200:5efe, then the IPv4 address.
        if low >> 32 & ~0x0200_0000 == 0x5EFE { places.append(CarriedIPv4(offset: 96)) }
        return places.map { $0.address(in: high, low) }
    }
}
