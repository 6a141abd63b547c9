import ErrandSupport
import HTTPSession
import HTTPSessionYAML
import Testing

@Suite("A session of a file", .timeLimit(.hang))
struct SessionRequestTests {
    @Test("sends the header fields, credentials and parameters of its settings")
    func request() async throws {
        let server = try ScriptedServer { (connection: ScriptedConnection) in
            _ = try connection.readRequest()
            try connection.respond("200 OK", ["Content-Type: application/json"], body: #"{"name":"Ada"}"#)
        }
        defer { server.stop() }
        let file = try SessionFile(
            """
            session_defaults:
              headers: {X-Team: blue}
              timeouts: {connect: 10m, idle: 10m}
            sessions:
              people:
                base_url: ${ORIGIN}/v1
                credentials: {basic: {username: ada, password: "${PASSWORD}"}}
                request: {serializer: json, arrays: comma}
                user_agent: file/1
            """, environment: ["ORIGIN": server.origin, "PASSWORD": "s3crét"])
        let api = try Session(file.configuration(of: "people"))
        let person = try await api.get("people/7", parameters: ["tags": ["a", "b"]], as: [String: String].self)
        #expect(person == ["name": "Ada"])
        let request = try #require(server.requests.events.first)
        #expect(request.line == "GET /v1/people/7?tags=a,b HTTP/1.1")
        #expect(request["X-Team"] == "blue")
        #expect(request["Authorization"] == "Basic YWRhOnMzY3LDqXQ=")
        #expect(request["User-Agent"] == "file/1")
    }

    @Test("has by default a limit of 8 MiB for content in memory, also with the serializer raw")
    func limit() async throws {
        let server = try ScriptedServer { (connection: ScriptedConnection) in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(9 << 20)\r\n\r\n")
            connection.waitForClose()
        }
        defer { server.stop() }
        let file = try SessionFile(
            """
            sessions:
              exports:
                base_url: ${ORIGIN}/
                response: {serializer: raw}
                timeouts: {connect: 10m, idle: 10m}
            """, environment: ["ORIGIN": server.origin])
        let api = try Session(file.configuration(of: "exports"))
        let error = await #expect(throws: SessionError.self) { try await api.get("7") }
        #expect(error?.code == .bodyTooLarge)
    }
}
