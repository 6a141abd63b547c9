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

    @Test("The changes begin with what is known already, and keep the object")
    func known() async throws {
        let server = try ScriptedServer { _ in }
        defer { server.stop() }
        let host = try HostReachability(server.origin, every: .milliseconds(10))
        for await change in host.changes where change == .reachable { break }
        for await change in host.changes {
            #expect(change == .reachable)
            break
        }
        var first: Reachability?
        for await change in try HostReachability(server.origin, every: .seconds(3600)).changes {
            first = change
            break
        }
        #expect(first == .reachable)
        await host.stop()
    }

    @Test("A path that cannot be requested is refused", arguments: ["http://[", "//other.example/"])
    func invalidPath(path: String) {
        #expect(throws: SessionError.self) {
            try HostReachability("http://127.0.0.1:1/", probe: .http(path: path))
        }
    }

    @Test("A URL that cannot be probed is refused", arguments: ["", "api.example.com", "ftp://a/"])
    func invalid(url: String) {
        #expect(throws: SessionError.self) { try HostReachability(url) }
    }
}
