import ErrandSupport
import Testing

@testable import ErrandEgress

@Suite("Egress rules")
struct EgressRuleTests {
    private static let own = EgressDestination(host: "own.example", port: 443)
    private static let other = EgressDestination(host: "other.example", port: 443)

    private static func rule(
        _ mode: EgressPolicy.PrivateNetworks, allow: [String] = [], deny: [String] = [], trustsProxy: Bool = false
    ) throws -> EgressRule {
        let policy = EgressPolicy(
            privateNetworks: mode, allow: try allow.map { try IPNetwork($0) }, deny: try deny.map { try IPNetwork($0) },
            trustsProxy: trustsProxy)
        return EgressRule(policy, own: own)
    }

    @Test("A public address is allowed in every mode", arguments: EgressSamples.publicAddresses)
    func publicAddress(text: String) throws {
        let address = try #require(IPAddress(text))
        for mode in EgressPolicy.PrivateNetworks.allCases {
            #expect(try Self.rule(mode).judge(address, for: Self.own) == .allowed)
            #expect(try Self.rule(mode).judge(address, for: Self.other) == .allowed)
        }
    }

    @Test("Other addresses are allowed or refused depending on the mode", arguments: EgressSamples.otherAddresses)
    func otherAddress(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(try Self.rule(.baseOnly).judge(address, for: Self.own) == .allowed)
        #expect(try Self.rule(.baseOnly).judge(address, for: Self.other) == .refused(reason: .notPublic))
        #expect(try Self.rule(.deny).judge(address, for: Self.own) == .refused(reason: .notPublicAtAll))
        #expect(try Self.rule(.deny).judge(address, for: Self.other) == .refused(reason: .notPublicAtAll))
        #expect(try Self.rule(.allow).judge(address, for: Self.other) == .allowed)
        #expect(EgressRule.unrestricted.judge(address, for: Self.other) == .allowed)
    }

    @Test("A rule is unrestricted by its policy, whatever the session's own destination is")
    func unrestricted() throws {
        var rule = EgressRule.unrestricted
        rule.own = Self.own
        #expect(rule.isUnrestricted)
        rule.policy.deny = [try IPNetwork("10.0.0.0/8")]
        #expect(!rule.isUnrestricted)
        #expect(!EgressRule(EgressPolicy(privateNetworks: .allow)).isUnrestricted)
        #expect(!EgressRule(EgressPolicy(trustsProxy: true)).isUnrestricted)
    }

    @Test("There are at least 150 distinct notations of addresses")
    func count() {
        let all = EgressSamples.publicAddresses + EgressSamples.otherAddresses
        #expect(all.count >= 150)
        #expect(Set(all).count == all.count)
    }

    @Test("The deny list takes precedence over everything", arguments: EgressPolicy.PrivateNetworks.allCases)
    func denied(mode: EgressPolicy.PrivateNetworks) throws {
        let rule = try Self.rule(
            mode, allow: ["8.8.8.0/24", "10.0.0.0/8", "2606:4700::/32"],
            deny: ["8.8.8.8", "10.1.0.0/16", "2606:4700::1", "192.0.2.45"])
        let denied = [
            "8.8.8.8", "10.1.2.3", "2606:4700::1", "::ffff:8.8.8.8", "::ffff:0:8.8.8.8", "::8.8.8.8",
            "64:ff9b::8.8.8.8", "2002:808:808::1", "2606:4700::5efe:8.8.8.8", "64:ff9b:1::8.8.8.8",
            "64:ff9b:1:808:8:800::", "2001:0:808:808::f7f7:f7f6", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        ]
        for text in denied {
            let address = try #require(IPAddress(text))
            #expect(rule.judge(address, for: Self.own) == .refused(reason: .denied))
            #expect(rule.judge(address, for: Self.other) == .refused(reason: .denied))
        }
        #expect(rule.judge(try #require(IPAddress("8.8.8.9")), for: Self.other) == .allowed)
        #expect(rule.judge(try #require(IPAddress("10.2.0.1")), for: Self.other) == .allowed)
    }

    @Test(
        "The allow list applies to the address and to embedded addresses",
        arguments: [EgressPolicy.PrivateNetworks.baseOnly, .deny])
    func allowed(mode: EgressPolicy.PrivateNetworks) throws {
        let rule = try Self.rule(mode, allow: ["10.0.0.0/8", "fd00::/8", "::1", "2001:0:7f00::/40"])
        let allowed = [
            "10.1.2.3", "fd00::1", "::1", "::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::10.0.0.1", "2002:a00:1::1",
            // Both addresses of Teredo are allowed or public, or the whole address is.
            "2001:0:a00:1::f5ff:fffe", "2001:0:a00:1::f7f7:f7f7", "2001:0:7f00:1::80ff:fffe",
            "2606:4700::5efe:10.0.0.1",
        ]
        for text in allowed {
            #expect(rule.judge(try #require(IPAddress(text)), for: Self.other) == .allowed)
        }
        let refused = [
            "127.0.0.1", "::ffff:127.0.0.1", "fc00::1", "fe80::1", "2002:7f00:1::1",
            "2001:0:a00:1::80ff:fffe",
            // The address behind a network's own translator is unknown, and the link-local address is not in the list.
            "64:ff9b:1::10.0.0.1", "fe80::5efe:10.0.0.1",
        ]
        for text in refused {
            #expect(rule.judge(try #require(IPAddress(text)), for: Self.other) != .allowed)
        }
    }

    @Test("Only the host and the port of the base URL, in their exact spelling, are the session's own")
    func ownDestination() throws {
        let rule = try Self.rule(.baseOnly)
        let address = IPAddress.v4(0x7F00_0001)
        for (host, port) in [("own.example", 80), ("own.example.", 443), ("sub.own.example", 443), ("127.0.0.1", 443)] {
            let destination = EgressDestination(host: host, port: UInt16(port))
            #expect(rule.judge(address, for: destination) == .refused(reason: .notPublic))
        }
        let without = EgressRule(EgressPolicy())
        #expect(without.judge(address, for: Self.own) == .refused(reason: .notPublic))
    }

    @Test("An IPv4 address has the same verdict in every IPv6 form")
    func carriers() throws {
        var random = SplitMix64(seed: 6)
        var seen: [EgressVerdict: Int] = [:]
        let known = (EgressSamples.publicAddresses + EgressSamples.otherAddresses).compactMap { text -> UInt32? in
            if case .v4(let bits)? = IPAddress(text) { bits } else { nil }
        }
        let others = (0..<3000).map { _ in UInt32.random(in: 0 ... .max, using: &random) }
        for mode in EgressPolicy.PrivateNetworks.allCases {
            let rule = try Self.rule(
                mode, allow: ["10.0.0.0/9", "0.0.0.0/24"], deny: ["96.0.0.0/4", "192.168.7.0/24"])
            // `::` and `::1` are not forms of 0.0.0.0 and 0.0.0.1.
            for bits in known + others where bits > 1 {
                for destination in [Self.own, Self.other] {
                    let verdict = rule.judge(.v4(bits), for: destination)
                    seen[verdict, default: 0] += 1
                    let others = Self.carriers(of: bits).filter { rule.judge($0, for: destination) != verdict }
                    #expect(others.isEmpty)
                }
            }
        }
        #expect(seen.keys.count == 4)
    }

    /// Returns every IPv6 form of an IPv4 address.
    private static func carriers(of bits: UInt32) -> [IPAddress] {
        let bits = UInt64(bits)
        return [
            .v6(0, 0xFFFF << 32 | bits), .v6(0, 0xFFFF << 48 | bits), .v6(0, bits), .v6(0x64_FF9B << 32, bits),
            .v6(0x2002 << 48 | bits << 16, 1), .v6(0x2002 << 48 | bits << 16 | 0xABCD, .max),
            .v6(0x2001 << 48 | bits, 0x8000_63BF << 32 | (~bits & 0xFFFF_FFFF)),
            .v6(0x2606_4700 << 32, 0x5EFE << 32 | bits), .v6(0x2606_4700 << 32, 0x200_5EFE << 32 | bits),
        ]
    }

    @Test("Behind a proxy addresses are checked as usual, and names require trust in the proxy")
    func proxy() throws {
        let own = EgressDestination(host: "[fd00::1]", port: 8080)
        var rule = EgressRule(EgressPolicy(), own: own)
        func verdict(_ host: String, _ port: UInt16 = 443) -> EgressVerdict {
            rule.judgeBehindProxy(EgressDestination(host: host, port: port))
        }
        #expect(verdict("8.8.8.8") == .allowed)
        #expect(verdict("[2606:4700::1111]") == .allowed)
        #expect(verdict("127.0.0.1") == .refused(reason: .notPublic))
        #expect(verdict("[::ffff:127.0.0.1]") == .refused(reason: .notPublic))
        #expect(verdict("[fd00::1]", 8080) == .allowed)
        #expect(verdict("[fd00::1]", 8081) == .refused(reason: .notPublic))
        #expect(verdict("a.example") == .refused(reason: .nameBehindProxy))
        rule.own = EgressDestination(host: "a.example", port: 443)
        #expect(verdict("a.example") == .refused(reason: .nameBehindProxy))
        rule.policy.privateNetworks = .allow
        #expect(verdict("127.0.0.1") == .allowed)
        #expect(verdict("a.example") == .refused(reason: .nameBehindProxy))
        rule.policy = EgressPolicy(deny: [try IPNetwork("8.8.8.8")], trustsProxy: true)
        #expect(verdict("a.example") == .allowed)
        #expect(verdict("localhost") == .allowed)
        #expect(verdict("10.0.0.1") == .refused(reason: .notPublic))
        #expect(verdict("8.8.8.8") == .refused(reason: .denied))
    }

    @Test("A host in the URL notation of an address is an address, any other is a name")
    func destinations() {
        #expect(EgressDestination(host: "127.0.0.1", port: 1).address == .v4(0x7F00_0001))
        #expect(EgressDestination(host: "[::1]", port: 1).address == .v6(0, 1))
        for host in ["", "[", "[]", "a.example", "[::1", "1.2.3.4.5", "[a]"] {
            #expect(EgressDestination(host: host, port: 1).address == nil)
        }
    }

    @Test("A refusal names the setting and contains no address")
    func refusals() {
        let reasons: [EgressRefusal] = [.denied, .notPublic, .notPublicAtAll, .nameBehindProxy]
        for reason in reasons {
            #expect(reason.description.contains("egress."))
        }
        #expect(Set(reasons.map(\.description)).count == reasons.count)
    }
}
