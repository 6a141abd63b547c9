import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import Testing

@testable import ErrandSessionSettings

@Suite("Connections in the configuration")
struct ConnectionSettingsTests {
    /// Settings that permit every proxy.
    private static let egress = "egress: {private_networks: allow, trust_proxy: true}"

    /// Returns the options of a session.
    private static func read(_ yaml: String) throws -> ConnectionOptions {
        let configuration = try Sample.read("sessions: {a: {base_url: 'http://a/', connection: {\(yaml)}, \(egress)}}")
        return try #require(configuration.session(named: "a")).transportOptions
    }

    @Test(
        "A proxy is a scheme, a host and a port, with or without user information",
        arguments: [
            ("http://proxy.example:3128", "http://proxy.example:3128"),
            ("HTTPS://Proxy.Example:443/", "https://proxy.example:443"),
            ("socks5://[::0:1]:1080", "socks5://[::1]:1080"),
            ("socks5h://u%40x:p%3Aq!@10.1:80", "socks5h://u%40x:p%3Aq!@10.0.0.1:80"),
        ])
    func proxy(text: String, expected: String) throws {
        #expect(try Self.read("proxy: '\(text)'").proxy == expected)
    }

    @Test(
        "A text other than a proxy is refused and not repeated",
        arguments: [
            "", "proxy:3128", "ftp://a:1", "socks4://a:1", "http://a", "http://a:", "http://a:0", "http://a:65536",
            "http://:80", "http://a:80/path", "http://a:80//", "http://a:80?q", "http://SECRET@b@a:80",
            "http://SECRET%@a:80", "http://SECRET%0@a:80", "http://SECRET%00@a:80", "http://SECRET%+1@a:80",
            "http://SEC RET@a:80", "http://SECRET[@a:80", "http://SECRETé@a:80", "http://SECRET@a",
        ])
    func badProxy(text: String) {
        let row = ProblemRow.session(
            "connection: {proxy: '\(text)'}",
            "4:25: sessions.a.connection.proxy: expected the URL of a proxy such as http://proxy.example.com:3128")
        row.check()
    }

    @Test("A proxy is printed without its user information")
    func printing() throws {
        let yaml =
            "sessions: {a: {base_url: 'http://a/', connection: {proxy: 'http://USER:SECRET@p:1'}, \(Self.egress)}}"
        let printed = Sample.printed(try Sample.read(yaml))
        #expect(printed.contains("proxy: \"http://[redacted]@p:1\"\n"))
        #expect(!printed.contains("SECRET") && !printed.contains("USER"))
    }

    @Test("Fixed addresses belong to a host and port; without a port to the ports 80 and 443")
    func resolve() throws {
        let options = try Self.read(
            "resolve: {'API.example:8443': 192.0.2.1, '[::1]:1': ['::2', '[0::3]'], two.example: 10.1.2.3}")
        #expect(
            options.fixedAddresses == [
                FixedAddress(host: "api.example", port: 8443, addresses: ["192.0.2.1"]),
                FixedAddress(host: "[::1]", port: 1, addresses: ["[::2]", "[::3]"]),
                FixedAddress(host: "two.example", port: 80, addresses: ["10.1.2.3"]),
                FixedAddress(host: "two.example", port: 443, addresses: ["10.1.2.3"]),
            ])
    }

    @Test("Fixed addresses are inherited separately; null removes one")
    func inheritance() throws {
        let configuration = try Sample.read(
            """
            session_defaults: {connection: {resolve: {"a:1": 10.0.0.1, b: 10.0.0.2, "c:3": 10.0.0.3}}}
            sessions: {s: {base_url: "http://a/", connection: {resolve: {"A:1": 10.0.0.9, "b:80": null, "c:3": }}}}
            """)
        #expect(
            configuration.session(named: "s")?.transportOptions.fixedAddresses == [
                FixedAddress(host: "b", port: 443, addresses: ["10.0.0.2"]),
                FixedAddress(host: "a", port: 1, addresses: ["10.0.0.9"]),
            ])
    }

    @Test(
        "A host without a port stands for the port of the base URL too; an entry with a port takes precedence",
        arguments: [
            ("", ["b:80 1", "b:443 1", "b:8443 1"]), ("'b:8443': null", ["b:80 1", "b:443 1"]),
            ("'b:8443': 10.0.0.2", ["b:80 1", "b:443 1", "b:8443 2"]),
            ("'b:443': 10.0.0.2", ["b:80 1", "b:8443 1", "b:443 2"]), ("'b:443': null", ["b:80 1", "b:8443 1"]),
            ("'b:443': 10.0.0.2, b: 10.0.0.3", ["b:443 2", "b:80 3", "b:8443 3"]),
            ("b: 10.0.0.2", ["b:80 2", "b:443 2", "b:8443 2"]), ("b: null", []),
            ("'c:1': null", ["b:80 1", "b:443 1", "b:8443 1"]),
        ] as [(String, [String])])
    func withoutPort(resolve: String, expected: [String]) throws {
        let configuration = try Sample.read(
            """
            session_defaults: {connection: {resolve: {b: 10.0.0.1}}}
            sessions: {s: {base_url: "https://b:8443/", connection: {resolve: {\(resolve)}}}}
            """)
        func addresses(_ sessions: NamedSessions) -> [String]? {
            sessions.session(named: "s")?.transportOptions.fixedAddresses.map { entry in
                "\(entry.host):\(entry.port) \(entry.addresses.joined(separator: ",").suffix(1))"
            }
        }
        #expect(addresses(configuration) == expected)
        #expect(addresses(try Sample.read(Sample.printed(configuration))) == expected)
    }

    @Test("An interface is a name or an address", arguments: ["eth0", "127.0.0.2", "::1", "br-lan.7"])
    func interface(text: String) throws {
        #expect(try Self.read("interface: '\(text)'").interface == text)
    }

    static let wrong: [ProblemRow] = [
        .session(
            "connection: {http: 3}", "4:24: sessions.a.connection.http: expected auto, 1.1 or 2, found \"3\""),
        .session(
            "connection: {resolve: [a]}", "4:27: sessions.a.connection.resolve: expected a mapping, found a list"),
        .session(
            "connection: {resolve: {'http://a': 10.0.0.1, 'a:b': 10.0.0.1, 'a:': 10.0.0.1, '*:80': 10.0.0.1}}",
            "4:28: sessions.a.connection.resolve.\"http://a\": \(hostExpected)",
            "4:50: sessions.a.connection.resolve.\"a:b\": \(hostExpected)",
            "4:67: sessions.a.connection.resolve.\"a:\": \(hostExpected)",
            "4:83: sessions.a.connection.resolve.\"*:80\": \(hostExpected)"),
        .session(
            "connection: {resolve: {'a:443': 10.0.0.1, 'A:443': 10.0.0.2}}",
            "4:47: sessions.a.connection.resolve.\"A:443\": duplicate host and port"),
        .session(
            "connection: {resolve: {a: example.com, b: [], c: [10.0.0.1, '10.0.0.1:80', '[::1']}}",
            "4:31: sessions.a.connection.resolve.a: \(addressExpected) \"example.com\"",
            "4:47: sessions.a.connection.resolve.b: expected at least one item, found an empty list",
            "4:65: sessions.a.connection.resolve.c[1]: \(addressExpected) \"10.0.0.1:80\"",
            "4:80: sessions.a.connection.resolve.c[2]: \(addressExpected) \"[::1\""),
        .session(
            "connection: {interface: 'if!eth0'}",
            "4:29: sessions.a.connection.interface: expected an interface such as eth0, or an address of one, found \"if!eth0\""
        ),
    ]

    private static let hostExpected = "expected a host, or a host and a port, such as a.example:443"
    private static let addressExpected = "expected an address such as 192.0.2.1 or 2001:db8::1, found"

    @Test("Each problem is reported with its location and setting", arguments: wrong)
    func problems(row: ProblemRow) {
        row.check()
    }
}
