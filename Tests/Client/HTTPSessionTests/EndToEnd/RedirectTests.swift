import ErrandSupport
import HTTPSession
import Testing

@Suite("Redirects and cookies over libcurl", .timeLimit(.hang))
struct RedirectTests {
    @Test("content is sent again after a 307, from its first byte")
    func replay() async throws {
        let server = try ScriptedServer { request in
            request.line.contains("/old")
                ? ScriptedResponse(status: "307 Temporary Redirect", fields: ["Location: /new"]) : .json("[]")
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let response = try await api.put("old", body: .text("content"))
        #expect(response.redirects == 1)
        #expect(response.url.path == "/new")
        #expect(server.requests.events.map(\.line) == ["PUT /old HTTP/1.1", "PUT /new HTTP/1.1"])
        #expect(server.requests.events.map(\.text) == ["content", "content"])
    }

    @Test("neither the session's header fields and credentials nor a request's secrets are sent to another origin")
    func otherOrigin() async throws {
        let stranger = try ScriptedServer { _ in .json("[]") }
        let target = stranger.origin + "/caught"
        let server = try ScriptedServer { request in
            request.line.contains("/first")
                ? ScriptedResponse(status: "302 Found", fields: ["Location: /second"])
                : ScriptedResponse(status: "302 Found", fields: ["Location: \(target)"])
        }
        defer {
            server.stop()
            stranger.stop()
        }
        let name = try #require(HTTPField.Name("X-Session"))
        let api = try Session.patient(server.origin) {
            $0.credentials = .bearer(token: "hush")
            $0.headers[name] = "own"
            $0.egress.privateNetworks = .allow
        }
        try await api.get("first", headers: ["X-Task": "1", "X-Api-Key": "mine"])
        #expect(server.requests.events.map(\.line) == ["GET /first HTTP/1.1", "GET /second HTTP/1.1"])
        for own in server.requests.events {
            #expect(own["Authorization"] == "Bearer hush")
            #expect(own["X-Session"] == "own")
            #expect(own["X-Api-Key"] == "mine")
        }
        let foreign = try #require(stranger.requests.events.first)
        #expect(foreign["Authorization"] == nil)
        #expect(foreign["X-Session"] == nil)
        #expect(foreign["X-Api-Key"] == nil)
        #expect(foreign["X-Task"] == "1")
    }

    @Test("cookies are stored, changed and sent back, also by redirects, unless the session forbids it")
    func cookies() async throws {
        let server = try ScriptedServer { request in
            request.line.contains("/login")
                ? ScriptedResponse(
                    status: "303 See Other", fields: ["Location: /", "Set-Cookie: a=1; Path=/", "Set-Cookie: b=2"])
                : .json("[]")
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        try await api.post("login", parameters: ["user": "ada"])
        try await api.get("other")
        let requests = server.requests.events
        #expect(requests.map(\.line) == ["POST /login HTTP/1.1", "GET / HTTP/1.1", "GET /other HTTP/1.1"])
        #expect(requests.map { $0["Cookie"] } == [nil, "a=1; b=2", "a=1; b=2"])
        let forgetful = try Session.patient(server.origin) { $0.cookies = .off }
        try await forgetful.post("login")
        #expect(server.requests.events.suffix(2).map { $0["Cookie"] } == [nil, nil])
    }

    /// Runs a server that answers a request for `/old` with a redirect with these field lines, and others with JSON.
    private func redirecting(with lines: [UInt8]) throws -> ScriptedServer {
        try ScriptedServer { connection in
            while true {
                if try connection.readRequest().line.contains("/old") {
                    try connection.send("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n")
                    try connection.send(lines + Array("\r\n\r\n".utf8))
                } else {
                    try connection.respond("200 OK", ["Content-Type: application/json"], body: "[]")
                }
            }
        }
    }

    @Test("a cookie whose octets cannot be sent back unchanged is ignored")
    func cookieOctets() async throws {
        for octet: UInt8 in [0xFC, 0x01] {
            let lines = Array("Location: /new\r\nSet-Cookie: n=J".utf8) + [octet] + Array("rgen".utf8)
            let server = try redirecting(with: lines)
            defer { server.stop() }
            try await Session.patient(server.origin).get("old")
            #expect(server.requests.events.map { $0["Cookie"] } == [nil, nil])
        }
    }

    @Test("a target that is not UTF-8 is requested with its octets")
    func targetOctets() async throws {
        let server = try redirecting(with: Array("Location: /caf".utf8) + [0xE9])
        defer { server.stop() }
        try await Session.patient(server.origin).get("old")
        #expect(server.requests.events.map(\.line) == ["GET /old HTTP/1.1", "GET /caf%E9 HTTP/1.1"])
    }

    @Test("a target with a control character is not followed")
    func targetControl() async throws {
        let server = try redirecting(with: Array("Location: /a\u{1}b".utf8))
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let error = await #expect(throws: SessionError.self) { try await api.get("old") }
        #expect(error?.code == .badURL)
        #expect(server.requests.events.count == 1)
    }

    @Test("persistent cookies are loaded from the session's storage and saved there")
    func persistentCookies() async throws {
        let server = try ScriptedServer { _ in
            ScriptedResponse(fields: ["Content-Type: application/json", "Set-Cookie: b=2; Max-Age=60"], body: "[]")
        }
        defer { server.stop() }
        let storage = ListedCookies()
        var configuration = SessionConfiguration(name: "api", baseURL: try HTTPURL(server.origin))
        configuration.makePatient()
        configuration.cookies = .persistent
        let first = try Session(configuration, cookieStorage: storage)
        try await first.get("first")
        try await first.flushCookies()
        #expect(storage.saved.events.map(\.value) == ["2"])
        try await Session(configuration, cookieStorage: storage).get("second")
        #expect(server.requests.events.map { $0["Cookie"] } == [nil, "b=2"])
    }

    @Test("a session with defaults can have a storage of cookies, and is told when it fails")
    func persistentCookiesOfDefaults() async throws {
        let server = try ScriptedServer { _ in
            ScriptedResponse(fields: ["Content-Type: application/json", "Set-Cookie: b=2; Max-Age=60"], body: "[]")
        }
        defer { server.stop() }
        let configure = { (configuration: inout SessionConfiguration) in
            configuration.makePatient()
            configuration.cookies = .persistent
        }
        let storage = ListedCookies()
        let api = try Session(baseURL: server.origin, cookieStorage: storage, configure: configure)
        try await api.get("first")
        try await api.flushCookies()
        #expect(storage.saved.events.map(\.value) == ["2"])
        try await Session(baseURL: server.origin, cookieStorage: storage, configure: configure).get("second")
        #expect(server.requests.events.map { $0["Cookie"] } == [nil, "b=2"])
        let failures = EventLog<CookieStorageError>()
        let broken = ListedCookies(failure: CookieStorageError(.writeFailed, "The disk is full"))
        let failing = try Session(
            baseURL: server.origin, cookieStorage: broken, configure: configure,
            onCookieFailure: { failures.append($0) })
        try await failing.get("third")
        #expect(await failures.first(1).map(\.code) == [.writeFailed])
    }

    @Test("the owner of a session is told when its cookies cannot be stored")
    func cookieFailure() async throws {
        let server = try ScriptedServer { _ in
            ScriptedResponse(fields: ["Content-Type: application/json", "Set-Cookie: b=2; Max-Age=60"], body: "[]")
        }
        defer { server.stop() }
        let failures = EventLog<CookieStorageError>()
        var configuration = SessionConfiguration(name: "api", baseURL: try HTTPURL(server.origin))
        configuration.makePatient()
        configuration.cookies = .persistent
        let storage = ListedCookies(failure: CookieStorageError(.writeFailed, "The disk is full"))
        let api = try Session(configuration, cookieStorage: storage, onCookieFailure: { failures.append($0) })
        try await api.get("")
        #expect(await failures.first(1).map(\.code) == [.writeFailed])
    }
}

/// A storage of cookies in memory, which outlives its session.
private final class ListedCookies: CookieStorage {
    /// The saved changes, in order.
    let saved = EventLog<Cookie>()
    private let failure: CookieStorageError?

    init(failure: CookieStorageError? = nil) {
        self.failure = failure
    }

    func load() async throws(CookieStorageError) -> [Cookie] { saved.events }

    func save(_ changes: [CookieChange]) async throws(CookieStorageError) {
        if let failure { throw failure }
        for case .set(let cookie) in changes { saved.append(cookie) }
    }
}
