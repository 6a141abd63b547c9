import ErrandSupport
import Testing

@testable import ErrandEgress

@Suite("Networks")
struct IPNetworkTests {
    @Test(
        "A network is an address and a prefix length; an address alone is a network by itself",
        arguments: [
            ("10.0.0.0/8", "10.0.0.0/8"), ("0.0.0.0/0", "0.0.0.0/0"), ("1.2.3.4", "1.2.3.4"), ("1.2.3.4/32", "1.2.3.4"),
            ("128.0.0.0/1", "128.0.0.0/1"), ("::/0", "::/0"), ("::1", "::1"), ("::1/128", "::1"),
            ("2001:DB8::/32", "2001:db8::/32"), ("fc00::/7", "fc00::/7"), ("8000::/1", "8000::/1"),
            ("2001:db8:0:0:8000::/65", "2001:db8:0:0:8000::/65"), ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
            ("::ffff:0:0/96", "0.0.0.0/0"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::fffe:0:0/95", "::fffe:0:0/95"),
        ])
    func reading(text: String, expected: String) throws {
        #expect(try IPNetwork(text).description == expected)
    }

    @Test(
        "Malformed networks are refused with the cause",
        arguments: [
            ("", .notAnAddress), ("/8", .notAnAddress), ("10/8", .notAnAddress), ("10.0.0/24", .notAnAddress),
            ("a/8", .notAnAddress), ("010.0.0.0/8", .notAnAddress), ("[::1]/128", .notAnAddress),
            ("fe80::%eth0/64", .notAnAddress), ("10.0.0.0/", .badPrefix), ("10.0.0.0/33", .badPrefix),
            ("::/129", .badPrefix), ("::/1280", .badPrefix), ("10.0.0.0/08", .badPrefix), ("10.0.0.0/+8", .badPrefix),
            ("10.0.0.0/-1", .badPrefix), ("10.0.0.0/8/8", .badPrefix), ("10.0.0.0/ 8", .badPrefix),
            ("10.0.0.0/255.0.0.0", .badPrefix), ("0.0.0.0/99999999999999999999", .badPrefix),
            ("10.0.0.1/8", .bitsBehindPrefix), ("0.0.0.1/0", .bitsBehindPrefix), ("1.2.3.5/31", .bitsBehindPrefix),
            ("2001:db8::1/32", .bitsBehindPrefix), ("::1/127", .bitsBehindPrefix), ("1::/0", .bitsBehindPrefix),
            ("::ffff:0:0/95", .bitsBehindPrefix),
        ] as [(String, IPNetworkError)])
    func refusing(text: String, error: IPNetworkError) {
        #expect(throws: error) { try IPNetwork(text) }
    }

    @Test(
        "A network contains the addresses from its first to its last, of its own version",
        arguments: [
            (
                "10.0.0.0/8", ["10.0.0.0", "10.1.2.3", "10.255.255.255"],
                ["9.255.255.255", "11.0.0.0", "::ffff:10.0.0.1"]
            ),
            ("192.0.2.128/25", ["192.0.2.128", "192.0.2.255"], ["192.0.2.127", "192.0.3.0"]),
            ("1.2.3.4", ["1.2.3.4"], ["1.2.3.3", "1.2.3.5", "::1.2.3.4"]),
            ("0.0.0.0/0", ["0.0.0.0", "255.255.255.255"], ["::", "::ffff:0.0.0.0"]),
            ("::/0", ["::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], ["0.0.0.0", "1.2.3.4"]),
            (
                "2001:db8::/33", ["2001:db8::", "2001:db8:7fff:ffff:ffff:ffff:ffff:ffff"],
                ["2001:db8:8000::", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff"]
            ),
            (
                "2001:db8:0:1::/64", ["2001:db8:0:1::", "2001:db8:0:1:ffff:ffff:ffff:ffff"],
                ["2001:db8:0:2::", "2001:db8::ffff:ffff:ffff:ffff"]
            ),
            ("2001:db8::8000:0:0:0/65", ["2001:db8::8000:0:0:1"], ["2001:db8::7fff:ffff:ffff:ffff"]),
            ("::1", ["::1"], ["::", "::2", "1::1"]),
        ])
    func containing(text: String, inside: [String], outside: [String]) throws {
        let network = try IPNetwork(text)
        for address in inside { #expect(network.contains(try #require(IPAddress(address)))) }
        for address in outside { #expect(!network.contains(try #require(IPAddress(address)))) }
    }

    @Test("The network of any address and length contains the address, and its text is parsed to the same network")
    func properties() throws {
        var random = SplitMix64(seed: 5)
        for _ in 0..<TestBuild.rounds(2000) {
            let v4 = IPAddress.v4(.random(in: 0 ... .max, using: &random))
            let v6 = IPAddress.v6(.random(in: 1 ... .max, using: &random), .random(in: 0 ... .max, using: &random))
            for address in [v4, v6] {
                let length = Int.random(in: 1...address.bitWidth, using: &random)
                let network = IPNetwork(containing: address, prefixLength: length)
                #expect(network.contains(address))
                #expect(try IPNetwork("\(network)") == network)
                // The last bit of the prefix is the last that matters.
                var bytes = address.bytes
                bytes[(length - 1) / 8] ^= 0x80 >> UInt8((length - 1) % 8)
                #expect(!network.contains(try #require(IPAddress(bytes: bytes))))
            }
        }
    }

    @Test("Invalid prefix lengths are clamped")
    func clamping() {
        #expect(IPNetwork(containing: .v4(1), prefixLength: 99).description == "0.0.0.1")
        #expect(IPNetwork(containing: .v4(1), prefixLength: -1).description == "0.0.0.0/0")
        #expect(IPNetwork(containing: .v6(1, 1), prefixLength: 129).prefixLength == 128)
    }
}
