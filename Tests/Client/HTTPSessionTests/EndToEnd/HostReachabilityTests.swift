import ErrandSupport
import HTTPSession
import Testing

@Suite("HostReachability", .timeLimit(.hang))
struct HostReachabilityTests {
    @Test("A server that accepts connections is reachable until it is gone")
    func connections() async throws {
        let server = try ScriptedServer(keepsPort: true) { _ in }
        defer { withExtendedLifetime(server) {} }
        let host = try HostReachability(server.origin, every: .milliseconds(10))
        var changes = host.changes.makeAsyncIterator()
        while host.current != .reachable { _ = try #require(await changes.next()) }
        server.stop()
        while host.current != .notReachable { _ = try #require(await changes.next()) }
        await host.stop()
        let last = try await changes.next()
        #expect(last == nil)
    }

    @Test("A server whose health check fails is not reachable, although it accepts connections")
    func healthCheck() async throws {
        let server = try ScriptedServer { connection in
            let request = try connection.readRequest()
            try connection.respond(request.line.contains(" /health ") ? "503 Busy" : "200 OK")
        }
        defer { server.stop() }
        let host = try HostReachability(server.origin, probe: .http(path: "health"), every: .milliseconds(10))
        var changes = host.changes.makeAsyncIterator()
        while host.current == .unknown { _ = try #require(await changes.next()) }
        #expect(host.current == .notReachable)
        await host.stop()
    }

    @Test("The changes end when the object is released")
    func released() async throws {
        let server = try ScriptedServer { _ in }
        defer { server.stop() }
        var host: HostReachability? = try HostReachability(server.origin, every: .seconds(3600))
        let changes = try #require(host?.changes)
        host = nil
        for await _ in changes {}
        #expect(host == nil)
    }

    @Test("A URL that cannot be probed is refused", arguments: ["", "api.example.com", "ftp://a/"])
    func invalid(url: String) {
        #expect(throws: SessionError.self) { try HostReachability(url) }
    }
}
