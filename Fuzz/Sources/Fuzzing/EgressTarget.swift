import ErrandEgress
import ErrandTransfer

extension FuzzTarget {
    /// Fuzzes addresses and networks, on two lines: the dialled address is the checked one, in every notation and
    /// embedding.
    static let egress = FuzzTarget("egress", maxBytes: 128) { input in
        let lines = InputText.lines(input).map { InputText.text($0) }
        if lines.count > 1, let network = try? IPNetwork(lines[1]) {
            try expect(try IPNetwork(network.description) == network, "a network round-trips: \(network)")
            try expect(network.contains(network.address), "a network contains its own address: \(network)")
        }
        guard let address = IPAddress(lines[0]) else { return }
        try expect(IPAddress(address.description) == address, "an address round-trips: \(address)")
        switch address {
        case .v4(let bits):
            try expect(try IPNetwork(lines[0]).contains(address), "an address is a network: \(address)")
            try expect(try HTTPURL("http://\(lines[0])/").host == address.description, "it is dialled as checked")
            // An address that embeds this one must have the same permissions (RFC 4291 §2.5.5, RFC 6052 §2.1, RFC 3056
            // §2).
            let embedded: [IPAddress] = [
                .v6(0, 0xFFFF << 32 | UInt64(bits)), .v6(0x0064_FF9B << 32, UInt64(bits)),
                .v6(0x2002 << 48 | UInt64(bits) << 16, 0),
            ]
            for other in embedded where judged(address) != .allowed {
                try expect(judged(other) != .allowed, "\(other) is not allowed, as \(address) is not")
            }
        case .v6(let high, let low):
            // A network of IPv4-mapped addresses is the network of the IPv4 addresses.
            let isMapped = high == 0 && low >> 32 == 0xFFFF
            let network = try IPNetwork(lines[0])
            try expect(network.contains(address) != isMapped, "an address is a network: \(address)")
            let host = try HTTPURL("http://[\(lines[0])]/").host
            try expect(IPAddress(host.dropFirst().dropLast()) == address, "it is dialled as it is judged: \(host)")
        }
        try expect(
            EgressRule.unrestricted.judge(address, for: destination) == .allowed, "without a rule nothing is refused")
    }

    private static let destination = EgressDestination(host: "egress.example", port: 443)

    private static func judged(_ address: IPAddress) -> EgressVerdict {
        EgressRule(EgressPolicy()).judge(address, for: destination)
    }
}
