import ErrandSupport
import HTTPSession
import Testing

@Suite("A session over a Unix socket", .timeLimit(.hang))
struct UnixSocketSessionTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("needs an egress policy that allows every address")
    func policy() async throws {
        let path = folder["a.sock"]
        let server = try ScriptedServer(unixSocket: path) { connection in
            try connection.readRequest()
            try connection.respond("200 OK", ["Content-Type: application/json"], body: "[1]")
        }
        defer { server.stop() }
        let unrestricted = try Session.patient("http://localhost/v1") {
            $0.connection.unixSocket = path
            $0.egress = EgressPolicy(privateNetworks: .allow, trustsProxy: true)
        }
        #expect(try await unrestricted.get("status").status == 200)
        #expect(server.requests.events.map(\.line) == ["GET /v1/status HTTP/1.1"])
        let restricted = try Session.patient("http://localhost/v1") { $0.connection.unixSocket = path }
        let error = await #expect(throws: SessionError.self) { try await restricted.get("status") }
        #expect(error?.code == .egressDenied)
        #expect(server.requests.events.count == 1)
    }
}
