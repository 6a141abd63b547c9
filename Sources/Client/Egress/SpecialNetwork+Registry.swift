extension SpecialNetwork {
    /// The IPv4 blocks; of overlapping blocks the smaller comes first.
    static let v4: [SpecialNetwork] = [
        .init(.v4(0, 0, 0, 0, prefixLength: 8), name: "this network", source: "RFC 1122 §3.2.1.3"),
        .init(.v4(10, 0, 0, 0, prefixLength: 8), name: "private", source: "RFC 1918"),
        .init(.v4(100, 64, 0, 0, prefixLength: 10), name: "shared by carriers", source: "RFC 6598"),
        .init(.v4(127, 0, 0, 0, prefixLength: 8), name: "loopback", source: "RFC 1122 §3.2.1.3"),
        .init(
            .v4(168, 63, 129, 16, prefixLength: 32), name: "cloud metadata",
            source: "Azure: the platform's virtual address"),
        .init(
            .v4(169, 254, 169, 254, prefixLength: 32), name: "cloud metadata",
            source: "AWS, Azure, Google Cloud and others: link-local"),
        .init(.v4(169, 254, 0, 0, prefixLength: 16), name: "link-local", source: "RFC 3927"),
        .init(.v4(172, 16, 0, 0, prefixLength: 12), name: "private", source: "RFC 1918"),
        .init(.v4(192, 0, 0, 0, prefixLength: 24), name: "IETF protocol assignments", source: "RFC 6890 §2.1"),
        .init(.v4(192, 0, 2, 0, prefixLength: 24), name: "documentation", source: "RFC 5737"),
        .init(.v4(192, 88, 99, 0, prefixLength: 24), name: "6to4 relay", source: "RFC 7526"),
        .init(.v4(192, 168, 0, 0, prefixLength: 16), name: "private", source: "RFC 1918"),
        .init(.v4(198, 18, 0, 0, prefixLength: 15), name: "benchmarking", source: "RFC 2544"),
        .init(.v4(198, 51, 100, 0, prefixLength: 24), name: "documentation", source: "RFC 5737"),
        .init(.v4(203, 0, 113, 0, prefixLength: 24), name: "documentation", source: "RFC 5737"),
        .init(.v4(224, 0, 0, 0, prefixLength: 4), name: "multicast", source: "RFC 5771"),
        .init(.v4(255, 255, 255, 255, prefixLength: 32), name: "broadcast", source: "RFC 919 §7"),
        .init(.v4(240, 0, 0, 0, prefixLength: 4), name: "reserved", source: "RFC 1112 §4"),
    ]

    /// The IPv6 blocks; of overlapping blocks the smaller comes first.
    static let v6: [SpecialNetwork] = [
        .init(.v6([], prefixLength: 128), name: "unspecified", source: "RFC 4291 §2.5.2"),
        .init(.v6([0, 0, 0, 0, 0, 0, 0, 1], prefixLength: 128), name: "loopback", source: "RFC 4291 §2.5.3"),
        .init(
            .v6([0, 0, 0, 0, 0, 0xFFFF], prefixLength: 96), name: "IPv4-mapped",
            source: "RFC 4291 §2.5.5.2", content: .carrier, carries: last),
        .init(
            .v6([0, 0, 0, 0, 0xFFFF], prefixLength: 96), name: "IPv4-translated",
            source: "RFC 2765 §2.1", content: .carrier, carries: last),
        .init(
            .v6([], prefixLength: 96), name: "IPv4-compatible",
            source: "RFC 4291 §2.5.5.1", content: .carrier, carries: last),
        .init(
            .v6([0x64, 0xFF9B], prefixLength: 96), name: "NAT64",
            source: "RFC 6052 §2.1", content: .carrier, carries: last),
        .init(
            .v6([0x64, 0xFF9B, 1], prefixLength: 48), name: "NAT64 of a network",
            source: "RFC 8215", carries: translated),
        .init(.v6([0x100], prefixLength: 64), name: "discard", source: "RFC 6666"),
        .init(
            .v6([0x2001], prefixLength: 32), name: "Teredo", source: "RFC 4380 §4", content: .carrier, carries: teredo),
        .init(.v6([0x2001, 2], prefixLength: 48), name: "benchmarking", source: "RFC 5180"),
        .init(.v6([0x2001, 0x10], prefixLength: 28), name: "ORCHID", source: "RFC 4843"),
        .init(.v6([0x2001, 0x20], prefixLength: 28), name: "ORCHIDv2", source: "RFC 7343"),
        .init(.v6([0x2001], prefixLength: 23), name: "IETF protocol assignments", source: "RFC 2928"),
        .init(.v6([0x2001, 0xDB8], prefixLength: 32), name: "documentation", source: "RFC 3849"),
        .init(
            .v6([0x2002], prefixLength: 16), name: "6to4",
            source: "RFC 3056 §2", content: .carrier, carries: [CarriedIPv4(offset: 16)]),
        .init(.v6([0x3FFF], prefixLength: 20), name: "documentation", source: "RFC 9637"),
        .init(
            .v6([0xFD00, 0xEC2, 0, 0, 0, 0, 0, 0x254], prefixLength: 128), name: "cloud metadata",
            source: "AWS: unique-local"),
        .init(.v6([0xFC00], prefixLength: 7), name: "unique-local", source: "RFC 4193"),
        .init(.v6([0xFE80], prefixLength: 10), name: "link-local", source: "RFC 4291 §2.5.6"),
        .init(.v6([0xFEC0], prefixLength: 10), name: "site-local", source: "RFC 3879"),
        .init(.v6([0xFF00], prefixLength: 8), name: "multicast", source: "RFC 4291 §2.7"),
    ]

    /// The addresses that IANA assigns to hosts of the public Internet.
    static let unicast = IPNetwork.v6([0x2000], prefixLength: 3)

    /// The addresses that are neither unicast nor in the list.
    static let unallocated = SpecialNetwork(.v6([], prefixLength: 0), name: "not allocated", source: "RFC 4291 §2.4")

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
    fileprivate static func v4(_ octets: UInt32..., prefixLength: Int) -> IPNetwork {
        IPNetwork(containing: .v4(octets.reduce(0) { $0 << 8 | $1 }), prefixLength: prefixLength)
    }

    /// Creates the network whose address begins with these groups.
    fileprivate static func v6(_ groups: [UInt16], prefixLength: Int) -> IPNetwork {
        IPNetwork(containing: IPAddress(groups: groups), prefixLength: prefixLength)
    }
}
