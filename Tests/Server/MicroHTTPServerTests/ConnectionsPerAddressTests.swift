import Testing

@testable import MicroHTTPServer

@Suite("ConnectionsPerAddress")
struct ConnectionsPerAddressTests {
    @Test("an address has room again when one of its connections ends, and none for others")
    func room() {
        var connections = ConnectionsPerAddress(limit: 2)
        connections.connectionBegan(from: "::1")
        #expect(connections.hasRoom(for: "::1"))
        connections.connectionBegan(from: "::1")
        #expect(!connections.hasRoom(for: "::1"))
        #expect(connections.hasRoom(for: "127.0.0.1"))
        connections.connectionEnded(from: "127.0.0.1")
        #expect(!connections.hasRoom(for: "::1"))
        connections.connectionEnded(from: "::1")
        #expect(connections.hasRoom(for: "::1"))
    }

    @Test("clients without an address have no limit")
    func noAddress() {
        var connections = ConnectionsPerAddress(limit: 1)
        connections.connectionBegan(from: "")
        connections.connectionBegan(from: "")
        #expect(connections.hasRoom(for: ""))
    }
}
