import ErrandSupport
import Testing

@testable import ErrandEgress

@Suite("Addresses")
struct IPAddressTests {
    @Test(
        "Unambiguous notations are parsed, and written as in RFC 5952",
        arguments: [
            ("0.0.0.0", "0.0.0.0"), ("1.2.3.4", "1.2.3.4"), ("255.255.255.255", "255.255.255.255"), ("::", "::"),
            ("::1", "::1"), ("1::", "1::"), ("0:0:0:0:0:0:0:0", "::"), ("2001:DB8::0:1", "2001:db8::1"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
            ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("0001:0002:0003:0004:0005:0006:0007:0008", "1:2:3:4:5:6:7:8"),
            ("::ffff:7f00:1", "::ffff:127.0.0.1"), ("::FFFF:1.2.3.4", "::ffff:1.2.3.4"), ("::1.2.3.4", "::102:304"),
            ("64:ff9b::10.0.0.1", "64:ff9b::a00:1"), ("1:2:3:4:5:6:7.8.9.10", "1:2:3:4:5:6:708:90a"),
            ("::ffff:0:1.2.3.4", "::ffff:0:102:304"),
            ("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ])
    func reading(text: String, expected: String) throws {
        #expect(try #require(IPAddress(text)).description == expected)
    }

    @Test(
        "All others are refused: short, octal and hexadecimal forms, names, zones, brackets",
        arguments: [
            "", " ", "1", "1.2", "1.2.3", "1.2.3.4.5", "1.2.3.", ".1.2.3", "1..2.3", "01.2.3.4", "1.2.3.04", "00.0.0.0",
            "0x7f.0.0.1", "0177.0.0.1", "2130706433", "256.0.0.1", "1.2.3.256", "1.2.3.1000", "1.2.3.-4", "+1.2.3.4",
            "1.2.3.4 ", " 1.2.3.4", "1.2.3.4/32", "1.2.3.4:80", "1。2。3。4", "１.2.3.4", "١.2.3.4", "1.2.3.a",
            "localhost", "a.b.c.d", ":", ":::", "::::", "1:::2", "1::2::3", ":1::", "1:2:3:4:5:6:7", ":1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7:8:", "1:2:3:4:5:6:7:8:9", "1:2:3:4::5:6:7:8", "::12345", "::g", "::-1", "::1%eth0",
            "::1%25lo",
            "[::1]", "::1/128", "::1.2.3", "::1.2.3.4.5", "::01.2.3.4", "::1.2.3.4:5", "1.2.3.4::",
            "1:2:3:4:5:6:7:1.2.3.4",
            "::0x1", "::é", "1:2:3:4:5:6:7:", "::ffff:1.2.3.4 ", "::1\0", "1.2.3.4\0",
        ])
    func refusing(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("Addresses have 4 or 16 bytes in network order, and no other number")
    func bytes() throws {
        #expect(IPAddress(bytes: [127, 0, 0, 1]) == .v4(0x7F00_0001))
        #expect(IPAddress.v4(0x7F00_0001).bytes == [127, 0, 0, 1])
        let address = try #require(IPAddress(bytes: Array(1...16)))
        #expect(address == .v6(0x0102_0304_0506_0708, 0x090A_0B0C_0D0E_0F10))
        #expect(address.bytes == Array(1...16))
        for count in 0...32 where count != 4 && count != 16 {
            #expect(IPAddress(bytes: Array(repeating: UInt8(1), count: count)) == nil)
        }
    }

    @Test("The text of every address is parsed to the same address")
    func roundTrip() {
        var random = SplitMix64(seed: 4)
        for _ in 0..<TestBuild.rounds(5000) {
            let v4 = IPAddress.v4(.random(in: 0 ... .max, using: &random))
            #expect(IPAddress(v4.description) == v4)
            #expect(IPAddress(bytes: v4.bytes) == v4)
            // Groups of zeros are written in different ways.
            let groups = (0..<8).map { _ in
                Bool.random(using: &random) ? 0 : UInt16.random(in: 0 ... .max, using: &random)
            }
            let v6 = IPAddress(groups: groups)
            #expect(IPAddress(v6.description) == v6)
            #expect(IPAddress(bytes: v6.bytes) == v6)
        }
    }
}
