import ErrandLocking
import ErrandSupport
import HTTPSession
import Testing

@Suite("The credentials of a session", .timeLimit(.hang))
struct CredentialsTests {
    @Test("basic: are sent preemptively, and never shown")
    func basic() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.credentials = .basic(username: "ada", password: "s3crét") }
        let task = try api.dataTask("")
        #expect(task.request.shownHeaders[.authorization] == "[redacted]")
        task.resume()
        #expect(await task.outcome.error == nil)
        #expect(server.requests.events.map { $0["Authorization"] } == ["Basic YWRhOnMzY3LDqXQ="])
    }

    @Test("digest: answer the challenge, and are sent preemptively afterwards")
    func digest() async throws {
        let server = try ScriptedServer { request in
            guard request["Authorization"] == nil else { return .json("[]") }
            // Without "qop", so that the response depends on nothing that the client generates.
            let challenge = "WWW-Authenticate: Digest realm=\"here\", nonce=\"abc\""
            return ScriptedResponse(status: "401 Unauthorized", fields: [challenge], body: "go away")
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.credentials = .digest(username: "ada", password: "secret") }
        try await api.get("private")
        try await api.get("more", parameters: ["a": 1])
        let requests = server.requests.events
        #expect(requests.map(\.line) == ["GET /private HTTP/1.1", "GET /private HTTP/1.1", "GET /more?a=1 HTTP/1.1"])
        let sent = requests.map { $0["Authorization"] ?? "" }
        #expect(sent[0] == "")
        // MD5 of "ada:here:secret", the nonce, and MD5 of method and target, computed by md5sum.
        #expect(sent[1].contains(#"response="09c5956884901fb3eb05f9bc5d005561""#))
        #expect(sent[2].contains(#"response="d7e9a0545a1f7baaeab32245af6d7c2a""#))
    }

    @Test("rejected by the server: are an error with the response")
    func refused() async throws {
        let server = try ScriptedServer { _ in
            ScriptedResponse(
                status: "401 Unauthorized",
                fields: ["WWW-Authenticate: Digest realm=\"here\", nonce=\"abc\"", "Content-Type: application/json"],
                body: #"{"why":"no"}"#)
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.credentials = .digest(username: "ada", password: "wrong") }
        let task = try api.dataTask("")
        task.resume()
        let outcome = await task.outcome
        #expect(outcome.error?.code == .unacceptableStatus)
        #expect(try outcome.response?.decoded(as: [String: String].self) == ["why": "no"])
        #expect(server.requests.events.count == 2)
    }

    @Test("OAuth 2: 64 tasks with an expired token request exactly one new token")
    func oneRefresh() async throws {
        let given = Mutex(0)
        let tokenServer = try ScriptedServer { _ in
            let number = given.withLock { given in
                given += 1
                return given
            }
            return .json(#"{"access_token":"token-\#(number)","token_type":"Bearer","expires_in":3600}"#)
        }
        // The first token is valid for the first request only. The 64 concurrent requests are answered only when the
        // last of them has come, so that none learns of the new token before.
        let crowd = 64
        let arrived = Mutex(0)
        let allHere = Gate()
        let server = try ScriptedServer { connection in
            while true {
                let request = try connection.readRequest()
                let isStale = request["Authorization"] == "Bearer token-1" && !request.line.contains("/first")
                if isStale {
                    let isLast = arrived.withLock { arrived in
                        arrived += 1
                        return arrived == crowd
                    }
                    if isLast { for _ in 0..<crowd { allHere.open() } }
                    allHere.wait()
                }
                let status = isStale ? "401 Unauthorized" : "200 OK"
                try connection.respond(
                    status, ["Content-Type: application/json", "WWW-Authenticate: Bearer"], body: "[]")
            }
        }
        defer {
            server.stop()
            tokenServer.stop()
        }
        var client = OAuth2ClientCredentials(
            tokenURL: try HTTPURL(tokenServer.origin + "/token"), clientID: "errand", clientSecret: "hush",
            scopes: ["read"])
        client.requestTimeouts = TransferTimeouts()
        let loopback = try IPNetwork("127.0.0.1")
        let api = try Session.patient(server.origin) {
            $0.connection.maxConnectionsPerHost = crowd
            $0.egress.allow = [loopback]
            $0.credentials = .oauth2(client)
        }
        try await api.get("first")
        let tasks = try (0..<crowd).map { try api.dataTask("items/\($0)") }
        for task in tasks { task.resume() }
        for task in tasks { #expect(await task.outcome.error == nil) }
        #expect(tokenServer.requests.events.count == 2)
        #expect(tokenServer.requests.events.map(\.line) == ["POST /token HTTP/1.1", "POST /token HTTP/1.1"])
        let tokens = server.requests.events.map { $0["Authorization"] }
        #expect(tokens.count { $0 == "Bearer token-1" } == 1 + crowd)
        #expect(tokens.count { $0 == "Bearer token-2" } == crowd)
    }
}
