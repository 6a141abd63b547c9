import Testing

@testable import ErrandEgress

@Suite("Special-purpose address blocks")
struct SpecialNetworkTests {
    @Test(
        "Each block is found with its purpose",
        arguments: [
            ("0.1.2.3", "this network"), ("10.1.1.1", "private"), ("100.64.1.1", "shared by carriers"),
            ("127.0.0.1", "loopback"), ("168.63.129.16", "cloud metadata"), ("169.254.169.254", "cloud metadata"),
            ("169.254.1.1", "link-local"), ("172.16.0.1", "private"), ("192.0.0.1", "IETF protocol assignments"),
            ("192.0.2.1", "documentation"), ("192.88.99.1", "6to4 relay"), ("192.168.0.1", "private"),
            ("198.18.0.1", "benchmarking"), ("198.51.100.1", "documentation"), ("203.0.113.1", "documentation"),
            ("224.0.0.1", "multicast"), ("240.0.0.1", "reserved"), ("255.255.255.255", "broadcast"),
            ("::", "unspecified"), ("::1", "loopback"), ("::ffff:1.2.3.4", "IPv4-mapped"),
            ("::ffff:0:1.2.3.4", "IPv4-translated"), ("::1.2.3.4", "IPv4-compatible"), ("64:ff9b::1.2.3.4", "NAT64"),
            ("64:ff9b:1::1", "NAT64 of a network"), ("100::1", "discard"), ("2001::1", "Teredo"),
            ("2001:2::1", "benchmarking"), ("2001:10::1", "ORCHID"), ("2001:20::1", "ORCHIDv2"),
            ("2001:3::1", "IETF protocol assignments"), ("2001:db8::1", "documentation"), ("2002::1", "6to4"),
            ("3fff::1", "documentation"), ("fd00:ec2::254", "cloud metadata"), ("fd00::1", "unique-local"),
            ("fe80::1", "link-local"), ("fec0::1", "site-local"), ("ff02::1", "multicast"),
            ("4000::1", "not allocated"),
        ])
    func names(text: String, name: String) throws {
        #expect(SpecialNetwork.of(try #require(IPAddress(text)))?.name == name)
    }

    @Test("A block inside another is listed before it, or it would never be found")
    func order() {
        for blocks in [SpecialNetwork.v4, SpecialNetwork.v6] {
            for block in blocks {
                let found = SpecialNetwork.of(block.network.address)
                // The first address of a block may belong to a smaller block, such as `::` of `::/96`.
                #expect(
                    found?.network == block.network || (found?.network.prefixLength ?? 0) > block.network.prefixLength)
            }
        }
    }

    @Test(
        "Embedded IPv4 addresses are found at the positions that their block defines",
        arguments: [
            ("::ffff:1.2.3.4", ["1.2.3.4"]), ("::ffff:0:1.2.3.4", ["1.2.3.4"]), ("::1.2.3.4", ["1.2.3.4"]),
            ("64:ff9b::1.2.3.4", ["1.2.3.4"]), ("2002:102:304::9", ["1.2.3.4"]),
            // The example of RFC 4380 §4: server 65.54.227.120, client 192.0.2.45.
            ("2001:0:4136:e378:8000:63bf:3fff:fdd2", ["65.54.227.120", "192.0.2.45"]),
            // The examples of RFC 6052 §2.4, below the prefix of RFC 8215: 192.0.2.33.
            ("64:ff9b:1:c000:2:2100::", ["192.0.2.33", "0.2.33.0", "2.33.0.0", "0.0.0.0"]),
            ("64:ff9b:1:c0:0:221::", ["0.192.0.2", "192.0.2.33", "0.2.33.0", "0.0.0.0"]),
            ("64:ff9b:1::c0:2:2100:0", ["0.0.192.0", "0.192.0.2", "192.0.2.33", "33.0.0.0"]),
            ("64:ff9b:1::192.0.2.33", ["0.0.0.0", "0.0.0.0", "0.0.0.192", "192.0.2.33"]),
            ("2606:4700::5efe:1.2.3.4", ["1.2.3.4"]), ("fe80::200:5efe:1.2.3.4", ["1.2.3.4"]),
            ("2606:4700::1", []), ("::1", []), ("fd00::1.2.3.4", []), ("1.2.3.4", []),
        ])
    func carried(text: String, expected: [String]) throws {
        #expect(try #require(IPAddress(text)).carried.map(\.description) == expected)
    }
}
