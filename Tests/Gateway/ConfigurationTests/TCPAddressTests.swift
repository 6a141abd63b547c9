import Testing

@testable import ErrandConfiguration

@Suite("Listening addresses")
struct TCPAddressTests {
    static let addresses: [(String, String?)] = [
        ("127.0.0.1:8080", "127.0.0.1:8080"), ("0.0.0.0:0", "0.0.0.0:0"), ("localhost:80", "127.0.0.1:80"),
        ("[::1]:80", "[::1]:80"), ("[::]:65535", "[::]:65535"), ("[2001:DB8::0:1]:1", "[2001:db8::1]:1"),
        ("127.0.0.1", nil), (":80", nil), ("127.0.0.1:", nil), ("127.0.0.1:x", nil), ("127.0.0.1:65536", nil),
        ("127.0.0.1:+80", nil), ("127.1:80", nil), ("0x7f.0.0.1:80", nil), ("256.0.0.1:80", nil), ("::1:80", nil),
        ("[::1:80", nil), ("[::1%lo]:80", nil), ("[127.0.0.1]:80", nil), ("example.com:80", nil), ("*:80", nil),
        ("", nil),
        ("127.0.0.1/x:80", nil), ("[::1]x:80", nil), (" 127.0.0.1:80", nil),
    ]

    @Test("A listening address is an address literal, or localhost, with a port", arguments: addresses)
    func address(text: String, expected: String?) {
        #expect(TCPAddress(text)?.description == expected)
    }

    @Test(
        "Loopback is 127.0.0.0/8 and ::1",
        arguments: [
            ("127.0.0.1:1", true), ("127.255.0.9:1", true), ("localhost:1", true), ("[::1]:1", true),
            ("[0:0:0:0:0:0:0:1]:1", true),
            ("0.0.0.0:1", false), ("128.0.0.1:1", false), ("[::]:1", false), ("[::ffff:127.0.0.1]:1", false),
            ("10.0.0.1:1", false),
        ])
    func loopback(text: String, isLoopback: Bool) throws {
        #expect(try #require(TCPAddress(text)).isLoopback == isLoopback)
    }

    @Test("A listening IPv6 address is stored without brackets")
    func bare() throws {
        let address = try #require(TCPAddress("[::1]:80"))
        #expect((address.host, address.port, address.isIPv6) == ("::1", 80, true))
    }
}
