import ErrandHTTPServer
import ErrandSupport
import HTTPTypes
import MicroHTTPServer
import Testing

@Suite("Several listeners", .timeLimit(.hang))
struct SeveralListenersTests {
    private let routes = [Route(.get, "/now") { _, _ in .immediate(.text("now")) }]

    /// Returns a configuration with two ports of 127.0.0.1.
    private static func configuration() -> ServerConfiguration {
        var configuration = ServerConfiguration.patient
        configuration.listeners = [ListenAddress(), ListenAddress()]
        return configuration
    }

    @Test("the limit of connections is that of all listeners together")
    func connectionLimit() async throws {
        var configuration = Self.configuration()
        configuration.limits.maxConnections = 2
        try await TestServer.with(configuration, routes: routes) { server in
            let ports = await server.server.addresses.compactMap(\.port)
            let first = try (0..<2).map { _ in try RawHTTPClient(port: ports[0]) }
            for client in first {
                #expect(try await client.exchange(get("/now")).text == "now")
            }
            let waiting = try RawHTTPClient(port: ports[1])
            try await waiting.send(get("/now"))
            // The turn that answers this would have accepted the waiting connection too.
            #expect(try await first[1].exchange(get("/now")).text == "now")
            #expect(server.server.statistics.connections == 2)
            first[0].close()
            #expect(try await waiting.response().text == "now")
        }
    }

    @Test("a listener with many clients does not take the room of the others")
    func turns() async throws {
        var configuration = Self.configuration()
        configuration.limits.maxConnections = 1
        let served = EventLog<String>()
        let routes = ["/busy", "/other"].map { path in
            Route(.get, path) { _, _ in
                served.append(path)
                return .immediate(.text(path))
            }
        }
        try await TestServer.with(configuration, routes: routes) { server in
            let ports = await server.server.addresses.compactMap(\.port)
            let open = try RawHTTPClient(port: ports[0])
            #expect(try await open.exchange(get("/busy")).text == "/busy")
            let busy = try RawHTTPClient(port: ports[0])
            try await busy.send(get("/busy", "Connection: close\r\n"))
            let other = try RawHTTPClient(port: ports[1])
            try await other.send(get("/other", "Connection: close\r\n"))
            open.close()
            #expect(try await other.response().text == "/other")
            #expect(try await busy.response().text == "/busy")
            #expect(served.events == ["/busy", "/other", "/busy"])
        }
    }

    @Test("the limit of one address is that of all listeners together")
    func connectionLimitPerAddress() async throws {
        var configuration = Self.configuration()
        configuration.limits.maxConnectionsPerAddress = 2
        try await TestServer.with(configuration, routes: routes) { server in
            let ports = await server.server.addresses.compactMap(\.port)
            let clients = try ports.map { try RawHTTPClient(port: $0) }
            for client in clients {
                #expect(try await client.exchange(get("/now")).text == "now")
            }
            for port in ports {
                let refused = try RawHTTPClient(port: port)
                #expect(try await refused.untilClosedOrReset().isEmpty)
            }
            clients[0].close()
            await server.waitUntilConnections(1)
            let next = try RawHTTPClient(port: ports[1])
            #expect(try await next.exchange(get("/now")).text == "now")
        }
    }
}
