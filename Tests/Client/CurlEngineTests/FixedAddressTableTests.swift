import CErrandCurl
import ErrandEgress
import ErrandSupport
import ErrandTransfer
import Testing

@testable import ErrandCurlEngine

@Suite("FixedAddressTable", .timeLimit(.hang))
struct FixedAddressTableTests {
    private static let entries = [
        FixedAddress(host: "a.test", port: 80, addresses: ["192.0.2.1"]),
        FixedAddress(host: "a.test", port: 443, addresses: ["192.0.2.2", "[2001:db8::2]"]),
        FixedAddress(host: "proxy.test", port: 3128, addresses: ["192.0.2.3"]),
        FixedAddress(host: "B.Test", port: 80, addresses: ["192.0.2.4"]),
        FixedAddress(host: "b.test", port: 80, addresses: ["192.0.2.5"]),
        FixedAddress(host: "c.test", port: 80, addresses: []),
    ]

    /// Returns the entries that libcurl gets for a transfer to a URL; `nil` for no list.
    private func entries(for url: String, of table: FixedAddressTable) throws -> [String]? {
        guard let list = try table.list(for: try HTTPURL(url)) else { return nil }
        var entries: [String] = []
        var next = list.head
        while let node = next {
            if let text = node.pointee.data { entries.append(String(cString: text)) }
            next = node.pointee.next
        }
        return entries
    }

    @Test("a transfer gets the addresses of its host and port")
    func direct() throws {
        let table = FixedAddressTable(Self.entries, proxy: nil)
        #expect(try entries(for: "http://a.test/x", of: table) == ["a.test:80:192.0.2.1"])
        #expect(try entries(for: "https://A.test/", of: table) == ["a.test:443:192.0.2.2,[2001:db8::2]"])
        #expect(try entries(for: "http://a.test:8080/", of: table) == nil)
        #expect(try entries(for: "http://other.test/", of: table) == nil)
    }

    @Test("a transfer through a proxy gets those of the proxy too")
    func proxied() throws {
        let proxy = EgressDestination(host: "proxy.test", port: 3128)
        let table = FixedAddressTable(Self.entries, proxy: proxy)
        let ofProxy = "proxy.test:3128:192.0.2.3"
        #expect(try entries(for: "http://a.test/", of: table) == ["a.test:80:192.0.2.1", ofProxy])
        #expect(try entries(for: "http://other.test/", of: table) == [ofProxy])
        #expect(try entries(for: "http://proxy.test:3128/", of: table) == [ofProxy])
        let other = FixedAddressTable(Self.entries, proxy: EgressDestination(host: "proxy.test", port: 1080))
        #expect(try entries(for: "http://other.test/", of: other) == nil)
    }

    @Test("of several entries for a host and port the last counts, and one without addresses is none")
    func repeated() throws {
        let table = FixedAddressTable(Self.entries, proxy: nil)
        #expect(try entries(for: "http://b.test/", of: table) == ["b.test:80:192.0.2.5"])
        #expect(try entries(for: "http://c.test/", of: table) == nil)
    }

    @Test("transfers to the same host and port share a list, which lives as long as the table")
    func shared() throws {
        let table = FixedAddressTable(Self.entries, proxy: nil)
        let lists = try ["http://a.test/", "http://a.test/x"].map { try table.list(for: try HTTPURL($0)) }
        #expect(lists[0] != nil)
        #expect(lists[0] === lists[1])
    }

    @Test("the name of a proxy may have a fixed address")
    func proxyName() async throws {
        let server = try ScriptedServer(greeting)
        defer { server.stop() }
        let addresses = [
            FixedAddress(host: "proxy.test", port: server.port, addresses: ["127.0.0.1"]),
            FixedAddress(host: "other.test", port: 80, addresses: ["127.0.0.1"]),
        ]
        let options = ConnectionOptions(proxy: "http://proxy.test:\(server.port)", fixedAddresses: addresses)
        try await withSession(options) { session in
            for host in ["somewhere.test", "other.test"] {
                let request = TransferRequest(url: try HTTPURL("http://\(host)/"))
                #expect(await session.perform(request).text == "hello")
            }
        }
    }
}
