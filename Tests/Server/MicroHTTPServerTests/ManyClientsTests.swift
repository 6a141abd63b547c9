import ErrandHTTPServer
import ErrandSupport
import HTTPTypes
import Testing

@testable import MicroHTTPServer

@Suite("Many clients", .timeLimit(.hang), .serialized)
struct ManyClientsTests {
    private let routes = [
        Route(.get, "/now") { _, _ in .immediate(.text("now")) },
        Route(.get, "/later") { _, _ in .deferred { .text("later") } },
    ]

    /// libmicrohttpd's own thread stalls at 128 and its multiples.
    @Test("any number of busy clients is served", arguments: [1, 127, 128, 129, 256, 512])
    func busy(count: Int) async throws {
        try await TestServer.with(routes: routes) { server in
            let clients = try (0..<count).map { _ in try server.client() }
            let rounds = 5
            for _ in 0..<rounds {
                // All requests are sent before the first response is read.
                for (index, client) in clients.enumerated() {
                    try await client.send(get(index % 2 == 0 ? "/now" : "/later"))
                }
                for (index, client) in clients.enumerated() {
                    #expect(try await client.response().text == (index % 2 == 0 ? "now" : "later"))
                }
            }
            #expect(server.server.statistics.requests == count * rounds)
        }
    }

    @Test("many short connections leave no resources behind")
    func storm() async throws {
        try await TestServer.with(routes: routes) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for round in 0..<100 {
                            let path = round % 2 == 0 ? "/now" : "/later"
                            let response = try await server.response(get(path, "Connection: close\r\n"))
                            #expect(response.status == 200)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.server.statistics.requests == 800)
        }
    }

    @Test("connections beyond the limit wait until others end")
    func connectionLimit() async throws {
        var configuration = ServerConfiguration.patient
        configuration.limits.maxConnections = 4
        try await TestServer.with(configuration, routes: routes) { server in
            let first = try (0..<4).map { _ in try server.client() }
            for client in first {
                #expect(try await client.exchange(get("/now")).text == "now")
            }
            let waiting = try server.client()
            try await waiting.send(get("/later"))
            // The turn that answers this would have accepted the waiting connection too.
            #expect(try await first[1].exchange(get("/now")).text == "now")
            #expect(server.server.statistics.connections == 4)
            first[0].close()
            #expect(try await waiting.response().text == "later")
        }
    }

    @Test("connections of one address beyond its limit are closed")
    func connectionLimitPerAddress() async throws {
        var configuration = ServerConfiguration.patient
        configuration.limits.maxConnectionsPerAddress = 2
        try await TestServer.with(configuration, routes: routes) { server in
            let first = try (0..<2).map { _ in try server.client() }
            for client in first {
                #expect(try await client.exchange(get("/now")).text == "now")
            }
            #expect(try await server.client().untilClosedOrReset().isEmpty)
            first[0].close()
            #expect(try await first[1].exchange(get("/later")).text == "later")
        }
    }

    @Test("any number of busy clients is served over TLS", arguments: [127, 128, 129])
    func busyOverTLS(count: Int) async throws {
        var configuration = ServerConfiguration.patient
        configuration.tls = try .test()
        try await TestServer.with(configuration, routes: routes) { server in
            var clients: [RawHTTPClient] = []
            for _ in 0..<count { clients.append(try await RawHTTPClient.tls(port: server.port)) }
            for _ in 0..<3 {
                for (index, client) in clients.enumerated() {
                    try await client.send(get(index % 2 == 0 ? "/now" : "/later"))
                }
                for (index, client) in clients.enumerated() {
                    #expect(try await client.response().text == (index % 2 == 0 ? "now" : "later"))
                }
            }
        }
    }

    @Test("any number of waiting handshakes does not delay other clients")
    func manyHandshakes() async throws {
        var configuration = ServerConfiguration.patient
        configuration.tls = try .test()
        try await TestServer.with(configuration, routes: routes) { server in
            let waiting = try (0..<200).map { _ in try server.client() }
            for client in waiting { try await client.send([22, 3, 1]) }
            let client = try await RawHTTPClient.tls(port: server.port)
            // With this response all connections before it are accepted, and their bytes are read.
            #expect(try await client.exchange(get("/later")).text == "later")
            let turns = server.server.turns
            for _ in 0..<10 {
                #expect(try await client.exchange(get("/later")).text == "later")
            }
            #expect(server.server.turns - turns < 1000)
            for client in waiting { client.close() }
        }
    }
}
