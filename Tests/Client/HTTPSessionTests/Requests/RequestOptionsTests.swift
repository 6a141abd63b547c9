import ErrandSupport
import HTTPSession
import Testing

@Suite("The options of one request", .timeLimit(.hang))
struct RequestOptionsTests {
    @Test("replace the acceptable statuses and content types of the session")
    func validation() async throws {
        let server = try ScriptedServer { _ in
            ScriptedResponse(status: "404 Not Found", fields: ["Content-Type: text/x-own"], body: "[]")
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let type = try #require(MediaRange("text/x-own"))
        let options = RequestOptions(acceptableStatuses: StatusSet([404...404]), acceptableContentTypes: [type])
        let response = try await api.get("", options: options)
        #expect(response.status == 404)
        #expect(response.text == "[]")
        let other = await #expect(throws: SessionError.self) {
            try await api.get("", options: RequestOptions(acceptableStatuses: StatusSet([404...404])))
        }
        #expect(other?.code == .unacceptableContentType)
        let own = await #expect(throws: SessionError.self) { try await api.get("") }
        #expect(own?.code == .unacceptableStatus)
    }

    @Test("replace the redirects of the session")
    func redirects() async throws {
        let server = try ScriptedServer { request in
            request.line.contains("/old")
                ? ScriptedResponse(status: "302 Found", fields: ["Location: /new"]) : .json("[]")
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.redirects.mode = .refuse }
        let error = await #expect(throws: SessionError.self) { try await api.get("old") }
        #expect(error?.code == .redirectRefused)
        let options = RequestOptions(redirects: RedirectPolicy(mode: .sameOrigin))
        #expect(try await api.get("old", options: options).redirects == 1)
    }

    @Test("send a priority, unless a header field does")
    func priority() async throws {
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        try await api.get("", options: RequestOptions(priority: .high))
        try await api.get("", options: RequestOptions(priority: RequestPriority(urgency: 9, isIncremental: true)))
        try await api.get("", headers: ["priority": "u=5"], options: RequestOptions(priority: .background))
        try await api.get("")
        #expect(server.requests.events.map { $0["Priority"] } == ["u=1", "u=7, i", "u=5", nil])
    }

    @Test("are equal if their values are, and their hooks are the same")
    func equality() {
        let hooks = SessionHooks(redirects: [.follow])
        #expect(RequestOptions(hooks: hooks) == RequestOptions(hooks: hooks))
        #expect(RequestOptions(priority: .high) != RequestOptions())
    }
}
