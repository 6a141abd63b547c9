import ErrandLocking
import ErrandSupport
import HTTPSession
import Testing

@Suite("The hooks of a session over libcurl", .timeLimit(.hang))
struct HooksTests {
    @Test("adapt and retry the requests of its methods")
    func interceptor() async throws {
        let server = try ScriptedServer { request in
            request["From"] == "2" ? .json("[2]") : ScriptedResponse(status: "503 Busy", body: "[]")
        }
        defer { server.stop() }
        let count = Mutex(0)
        let hooks = SessionHooks(
            adapters: [
                .header(.from) {
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    return "\(number)"
                }
            ], retriers: [BackoffRetrier(RetryRule(listed: [.zero], jitter: 0))])
        let api = try Session(baseURL: server.origin, hooks: hooks) { $0.makePatient() }
        #expect(try await api.post("a", body: .text("x"), as: [Int].self) == [2])
        #expect(server.requests.events.map { $0["From"] } == ["1", "2"])
        #expect(server.requests.events.map(\.text) == ["x", "x"])
    }

    @Test("may make a HEAD of a POST without parameters, whose response has no content")
    func head() async throws {
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
            connection.waitForClose()
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let options = RequestOptions(hooks: SessionHooks(adapters: [.modifying { $0.method = .head }]))
        let response = try await api.post("a", options: options)
        #expect(response.status == 200)
        let request = try #require(server.requests.events.first)
        #expect(request.line == "HEAD /a HTTP/1.1")
        #expect(request["Content-Type"] == nil)
        #expect(request["Content-Length"] == nil)
    }

    @Test("decide about a redirect and about the response of one request")
    func redirectAndResponse() async throws {
        struct Refusal: Error {}
        let server = try ScriptedServer { request in
            request.line.contains("/old")
                ? ScriptedResponse(
                    status: "302 Found", fields: ["Location: /new", "Content-Type: application/json"],
                    body: #"["old"]"#)
                : .json(#"["new"]"#)
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let refusing = RequestOptions(hooks: SessionHooks(redirects: [.doNotFollow]))
        let refused = await #expect(throws: SessionError.self) { try await api.get("old", options: refusing) }
        #expect(refused?.code == .redirectRefused)
        #expect(refused?.response?.status == 302)
        #expect(refused?.response?.text == #"["old"]"#)
        let checking = RequestOptions(
            hooks: SessionHooks(validators: [
                .checking { response in
                    guard response.url.path == "/old" else { throw Refusal() }
                }
            ]))
        let error = await #expect(throws: SessionError.self) { try await api.get("old", options: checking) }
        #expect(error?.code == .hookFailed)
        #expect(error?.cause is Refusal)
        #expect(try await api.get("old", as: [String].self) == ["new"])
    }

    @Test("refresh a token once for parallel requests, all of which were refused before")
    func oneRefresh() async throws {
        let crowd = 32
        let arrived = Mutex(0)
        let allHere = Gate()
        let server = try ScriptedServer { connection in
            while true {
                let request = try connection.readRequest()
                let isStale = request["Authorization"] != "Bearer new"
                if isStale {
                    let isLast = arrived.withLock { arrived in
                        arrived += 1
                        return arrived == crowd
                    }
                    if isLast { for _ in 0..<crowd { allHere.open() } }
                    allHere.wait()
                }
                let status = isStale ? "401 Unauthorized" : "200 OK"
                try connection.respond(status, ["Content-Type: application/json"], body: "[]")
            }
        }
        defer { server.stop() }
        let refreshes = EventLog<Void>()
        let tokens = TokenRefresher(RefreshedToken("old")) {
            refreshes.append()
            return RefreshedToken("new")
        }
        let api = try Session(baseURL: server.origin, hooks: SessionHooks(interceptor: tokens)) {
            $0.makePatient()
            $0.connection.maxConnectionsPerHost = crowd
        }
        let tasks = try (0..<crowd).map { try api.dataTask("items/\($0)") }
        for task in tasks { task.resume() }
        for task in tasks { #expect(await task.outcome.error == nil) }
        #expect(refreshes.events.count == 1)
        let sent = server.requests.events.map { $0["Authorization"] }
        #expect(sent.count { $0 == "Bearer old" } == crowd)
        #expect(sent.count { $0 == "Bearer new" } == crowd)
    }
}
