import ErrandSupport
import HTTPSession
import Testing

@Suite("A session over libcurl", .timeLimit(.hang))
struct SessionCurlTests {
    @Test("sends the request, and returns the JSON of the response byte for byte")
    func json() async throws {
        let json = #"{"id":12345678901234567890,"price":1.10,"a":null,"a":2}"#
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.respond("201 Created", ["Content-Type: application/json", "Set-Cookie: a=1"], body: json)
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin + "/v1") { $0.request.serializer = .json }
        let response = try await api.data(
            for: TaskRequest(
                method: "POST", path: "users", parameters: Array(#"{"n":1.10}"#.utf8),
                headers: [TaskHeader("X-A", "1")]))
        #expect(response.head.status == 201)
        #expect(response.json.map { String(decoding: $0, as: UTF8.self) } == json)
        let request = try #require(await server.requests.first(1).first)
        #expect(request.line == "POST /v1/users HTTP/1.1")
        #expect(request["User-Agent"] == SessionConfiguration.defaultUserAgent)
        #expect(request["Content-Type"] == "application/json")
        #expect(request["X-A"] == "1")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"n":1.10}"#)
    }

    @Test("returns the response with the error of an unacceptable status")
    func badStatus() async throws {
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.respond("404 Gone Fishing", ["Content-Type: application/json"], body: "{}")
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let outcome = await api.run(try api.prepare(TaskRequest()), sink: MemorySink())
        #expect(outcome.error == SessionError(.unacceptableStatus, "The status is 404 (Not Found); expected 200-299"))
        #expect(outcome.response?.json == Array("{}".utf8)[...])
        #expect(outcome.metrics.httpVersion == "1.1")
    }

    @Test("closes the connection when a response becomes too large")
    func tooLarge() async throws {
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
            while true { try connection.send(String(repeating: " ", count: 4096)) }
        }
        defer { server.stop() }
        var configuration = SessionConfiguration(name: "small", baseURL: try HTTPURL(server.origin))
        configuration.makePatient()
        configuration.response.disposition.maxBodyBytes = 100_000
        let api = try Session(configuration)
        let error = await #expect(throws: SessionError.self) { try await api.data(for: TaskRequest()) }
        #expect(error?.code == .bodyTooLarge)
        #expect(await server.ended.first(1) == [0])
    }

    @Test("closes the connection when its Swift task is canceled")
    func canceled() async throws {
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            // Waits for a second request that never comes, until the client closes the connection.
            try connection.readRequest()
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let request = try api.prepare(TaskRequest())
        let run = Task { await api.run(request, sink: MemorySink()) }
        _ = await server.requests.first(1)
        run.cancel()
        #expect(await run.value.error?.code == .canceled)
        #expect(await server.ended.first(1) == [0])
    }

    @Test("reports a refused connection")
    func refused() async throws {
        let server = try ScriptedServer(listens: false) { _ in }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let error = await #expect(throws: SessionError.self) { try await api.data(for: TaskRequest()) }
        #expect(error?.code == .cannotConnect)
    }

    @Test(
        "cannot be created with an invalid base URL",
        arguments: [("users", .badURL), ("ftp://e.com/", .unsupportedURL), ("http://u:p@e.com/", .badURL)]
            as [(String, SessionErrorCode)])
    func badBase(baseURL: String, code: SessionErrorCode) {
        let error = #expect(throws: SessionError.self) { try Session(baseURL: baseURL) }
        #expect(error?.code == code)
    }
}
