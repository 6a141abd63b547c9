extension SpecialNetwork {
    /// The IPv4 blocks; of overlapping blocks the smaller comes first.
    static let v4: [SpecialNetwork] = [
        .init(.v4(0, 0, 0, 0, 8), "this network", "RFC 1122 §3.2.1.3"),
        .init(.v4(10, 0, 0, 0, 8), "private", "RFC 1918"),
        .init(.v4(100, 64, 0, 0, 10), "shared by carriers", "RFC 6598"),
        .init(.v4(127, 0, 0, 0, 8), "loopback", "RFC 1122 §3.2.1.3"),
        .init(.v4(168, 63, 129, 16, 32), "cloud metadata", "Azure: the platform's virtual address"),
        .init(.v4(169, 254, 169, 254, 32), "cloud metadata", "AWS, Azure, Google Cloud and others: link-local"),
        .init(.v4(169, 254, 0, 0, 16), "link-local", "RFC 3927"),
        .init(.v4(172, 16, 0, 0, 12), "private", "RFC 1918"),
        .init(.v4(192, 0, 0, 0, 24), "IETF protocol assignments", "RFC 6890 §2.1"),
        .init(.v4(192, 0, 2, 0, 24), "documentation", "RFC 5737"),
        .init(.v4(192, 88, 99, 0, 24), "6to4 relay", "RFC 7526"),
        .init(.v4(192, 168, 0, 0, 16), "private", "RFC 1918"),
        .init(.v4(198, 18, 0, 0, 15), "benchmarking", "RFC 2544"),
        .init(.v4(198, 51, 100, 0, 24), "documentation", "RFC 5737"),
        .init(.v4(203, 0, 113, 0, 24), "documentation", "RFC 5737"),
        .init(.v4(224, 0, 0, 0, 4), "multicast", "RFC 5771"),
        .init(.v4(255, 255, 255, 255, 32), "broadcast", "RFC 919 §7"),
        .init(.v4(240, 0, 0, 0, 4), "reserved", "RFC 1112 §4"),
    ]

    /// The IPv6 blocks; of overlapping blocks the smaller comes first.
    static let v6: [SpecialNetwork] = [
        .init(.v6([], 128), "unspecified", "RFC 4291 §2.5.2"),
        .init(.v6([0, 0, 0, 0, 0, 0, 0, 1], 128), "loopback", "RFC 4291 §2.5.3"),
        .init(.v6([0, 0, 0, 0, 0, 0xFFFF], 96), "IPv4-mapped", "RFC 4291 §2.5.5.2", .carrier, carries: last),
        .init(.v6([0, 0, 0, 0, 0xFFFF], 96), "IPv4-translated", "RFC 2765 §2.1", .carrier, carries: last),
        .init(.v6([], 96), "IPv4-compatible", "RFC 4291 §2.5.5.1", .carrier, carries: last),
        .init(.v6([0x64, 0xFF9B], 96), "NAT64", "RFC 6052 §2.1", .carrier, carries: last),
        .init(.v6([0x64, 0xFF9B, 1], 48), "NAT64 of a network", "RFC 8215", carries: translated),
        .init(.v6([0x100], 64), "discard", "RFC 6666"),
        .init(.v6([0x2001], 32), "Teredo", "RFC 4380 §4", .carrier, carries: teredo),
        .init(.v6([0x2001, 2], 48), "benchmarking", "RFC 5180"),
        .init(.v6([0x2001, 0x10], 28), "ORCHID", "RFC 4843"),
        .init(.v6([0x2001, 0x20], 28), "ORCHIDv2", "RFC 7343"),
        .init(.v6([0x2001], 23), "IETF protocol assignments", "RFC 2928"),
        .init(.v6([0x2001, 0xDB8], 32), "documentation", "RFC 3849"),
        .init(.v6([0x2002], 16), "6to4", "RFC 3056 §2", .carrier, carries: [CarriedIPv4(offset: 16)]),
        .init(.v6([0x3FFF], 20), "documentation", "RFC 9637"),
        .init(.v6([0xFD00, 0xEC2, 0, 0, 0, 0, 0, 0x254], 128), "cloud metadata", "AWS: unique-local"),
        .init(.v6([0xFC00], 7), "unique-local", "RFC 4193"),
        .init(.v6([0xFE80], 10), "link-local", "RFC 4291 §2.5.6"),
        .init(.v6([0xFEC0], 10), "site-local", "RFC 3879"),
        .init(.v6([0xFF00], 8), "multicast", "RFC 4291 §2.7"),
    ]

    /// The addresses that IANA assigns to hosts of the public Internet.
    static let unicast = IPNetwork.v6([0x2000], 3)

    /// The addresses that are neither unicast nor in the list.
    static let unallocated = SpecialNetwork(.v6([], 0), "not allocated", "RFC 4291 §2.4")

    /// The last 32 bits.
    private static let last = [CarriedIPv4(offset: 96)]

    /// The server, and the client behind its NAT with inverted bits.
    private static let teredo = [CarriedIPv4(offset: 32), CarriedIPv4(offset: 96, isInverted: true)]

    /// The positions that an RFC 6052 §2.2 prefix may have its IPv4 address at; only the network knows which one it
    /// uses.
    private static let translated = [
        CarriedIPv4(offset: 48, skipsBits64To71: true), CarriedIPv4(offset: 56, skipsBits64To71: true),
        CarriedIPv4(offset: 64, skipsBits64To71: true), CarriedIPv4(offset: 96),
    ]
}

extension IPNetwork {
    fileprivate static func v4(
        _ first: UInt32, _ second: UInt32, _ third: UInt32, _ fourth: UInt32, _ prefixLength: Int
    ) -> IPNetwork {
        IPNetwork(containing: .v4(first << 24 | second << 16 | third << 8 | fourth), prefixLength: prefixLength)
    }

    /// Creates the network whose address begins with these groups.
    fileprivate static func v6(_ groups: [UInt16], _ prefixLength: Int) -> IPNetwork {
        IPNetwork(containing: IPAddress(groups: groups), prefixLength: prefixLength)
    }
}
