import ErrandLocking
import ErrandSupport
import HTTPSession
import Testing

@Suite("A session that is reset", .timeLimit(.hang))
struct ResetTests {
    @Test("has no cookies, and opens new connections")
    func cookies() async throws {
        let server = try ScriptedServer { _ in
            ScriptedResponse(fields: ["Content-Type: application/json", "Set-Cookie: a=1"], body: "[]")
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        try await api.get("first")
        try await api.get("second")
        #expect(server.accepted.events == [0])
        try await api.reset()
        // The idle connection is closed, although no other request was made.
        _ = await server.ended.first(1)
        try await api.get("third")
        #expect(server.requests.events.map { $0["Cookie"] } == [nil, "a=1", nil])
        #expect(server.accepted.events == [0, 1])
    }

    @Test("has no cookie of a response whose head came before, when its content ends afterwards")
    func cookiesOfStream() async throws {
        let mayEnd = Gate()
        let server = try ScriptedServer { connection in
            let request = try connection.readRequest()
            if request.line.contains("/stream") {
                try connection.send("HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/\r\nContent-Length: 2\r\n\r\n")
                mayEnd.wait()
                try connection.send("[]")
            } else {
                try connection.respond("200 OK", ["Content-Type: application/json"], body: "[]")
            }
            connection.waitForClose()
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let response = try await api.stream("stream")
        let received = try await api.storedCookies
        try await api.reset()
        mayEnd.open()
        for try await _ in response {}
        try await api.get("next")
        #expect(received.map(\.name) == ["a"])
        #expect(server.requests.events.map { $0["Cookie"] } == [nil, nil])
    }

    @Test("lets its tasks continue on their connections")
    func tasks() async throws {
        let mayContinue = Gate()
        let server = try ScriptedServer { connection in
            let request = try connection.readRequest()
            if request.line.contains("/slow") { mayContinue.wait() }
            try connection.respond("200 OK", ["Content-Type: application/json"], body: "[]")
            connection.waitForClose()
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let task = try api.dataTask("slow")
        task.resume()
        _ = await server.requests.first(1)
        try await api.reset()
        try await api.get("fast")
        #expect(server.accepted.events == [0, 1])
        mayContinue.open()
        #expect(await task.outcome.error == nil)
        // The connection of the task ends with it.
        #expect(await server.ended.first(1) == [0])
    }

    @Test("forgets the challenges of Digest")
    func digest() async throws {
        let server = try ScriptedServer { request in
            guard request["Authorization"] == nil else { return .json("[]") }
            let challenge = "WWW-Authenticate: Digest realm=\"here\", nonce=\"abc\""
            return ScriptedResponse(status: "401 Unauthorized", fields: [challenge])
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.credentials = .digest(username: "ada", password: "secret") }
        try await api.get("first")
        try await api.get("second")
        try await api.reset()
        try await api.get("third")
        let isAuthorized = server.requests.events.map { $0["Authorization"] != nil }
        #expect(isAuthorized == [false, true, true, false, true])
    }

    @Test("requests a new token of OAuth 2")
    func token() async throws {
        let given = Mutex(0)
        let server = try ScriptedServer { request in
            guard request.line.contains("/token") else { return .json("[]") }
            let number = given.withLock { given in
                given += 1
                return given
            }
            return .json(#"{"access_token":"token-\#(number)","token_type":"Bearer","expires_in":3600}"#)
        }
        defer { server.stop() }
        var client = OAuth2ClientCredentials(
            tokenURL: try HTTPURL(server.origin + "/token"), clientID: "errand", clientSecret: "hush")
        client.requestTimeouts = TransferTimeouts()
        let api = try Session.patient(server.origin) { $0.credentials = .oauth2(client) }
        try await api.get("first")
        try await api.get("second")
        try await api.reset()
        try await api.get("third")
        let sent = server.requests.events.filter { !$0.line.contains("/token") }.map { $0["Authorization"] }
        #expect(sent == ["Bearer token-1", "Bearer token-1", "Bearer token-2"])
    }

    @Test("keeps the tokens of its hooks, which have a reset of their own")
    func hooks() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let tokens = TokenRefresher(RefreshedToken("old")) { RefreshedToken("new") }
        let api = try Session(baseURL: server.origin, hooks: SessionHooks(interceptor: tokens)) { $0.makePatient() }
        try await api.get("first")
        try await api.reset()
        try await api.get("second")
        tokens.reset()
        try await api.get("third")
        #expect(server.requests.events.map { $0["Authorization"] } == ["Bearer old", "Bearer old", "Bearer new"])
    }
}
