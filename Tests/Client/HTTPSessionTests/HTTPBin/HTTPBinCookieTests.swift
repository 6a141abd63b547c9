import ErrandSupport
import HTTPSession
import Testing

@Suite("Cookies of httpbin", .timeLimit(.hang))
struct HTTPBinCookieTests {
    /// Returns the cookies that a session sends.
    private func cookies(of api: Session, _ path: String = "cookies") async throws -> [String: String] {
        try await api.data(for: TaskRequest(path: path)).decoded(as: EchoedCookies.self).cookies
    }

    @Test("are stored from a redirect, and sent to its target and afterwards")
    func kept() async throws {
        let api = try await HTTPBin.session()
        #expect(try await cookies(of: api) == [:])
        #expect(try await cookies(of: api, "cookies/set?a=1&b=2") == ["a": "1", "b": "2"])
        #expect(try await cookies(of: api, "cookies/set/a/3") == ["a": "3", "b": "2"])
        #expect(try await cookies(of: api) == ["a": "3", "b": "2"])
    }

    @Test("are deleted on request of the server")
    func deleted() async throws {
        let api = try await HTTPBin.session()
        #expect(try await cookies(of: api, "cookies/set?a=1&b=2&c=3") == ["a": "1", "b": "2", "c": "3"])
        #expect(try await cookies(of: api, "cookies/delete?a&c") == ["b": "2"])
        #expect(try await cookies(of: api) == ["b": "2"])
    }

    @Test("are stored from every hop of a chain of redirects")
    func chain() async throws {
        let api = try await HTTPBin.session()
        let last = "/cookies/set?last=1"
        let request = TaskRequest(path: "redirect-to", parameters: json(#"{"url":"\#(last)"}"#))
        let response = try await api.data(for: request)
        #expect(response.redirects == 2)
        #expect(try response.decoded(as: EchoedCookies.self).cookies == ["last": "1"])
    }

    @Test("belong to one session only")
    func separate() async throws {
        let one = try await HTTPBin.session()
        let other = try await HTTPBin.session()
        #expect(try await cookies(of: one, "cookies/set?a=1") == ["a": "1"])
        #expect(try await cookies(of: other) == [:])
    }

    @Test("are neither stored nor sent by a session without cookies")
    func off() async throws {
        let api = try await HTTPBin.session { $0.cookies = .off }
        #expect(try await cookies(of: api, "cookies/set?a=1") == [:])
        #expect(try await cookies(of: api) == [:])
        let own = try await api.data(for: TaskRequest(path: "cookies", headers: [TaskHeader("Cookie", "mine=1")]))
        #expect(try own.decoded(as: EchoedCookies.self).cookies == ["mine": "1"])
    }

    @Test(
        "are stored only if the rules allow it",
        arguments: [
            ("a=1; Path=/", true),
            ("a=1; Path=/anything", false),
            ("a=1; Path=/cookies", true),
            ("a=1; Domain=127.0.0.1; Path=/", true),
            ("a=1; Domain=example.com; Path=/", false),
            ("a=1; Secure; Path=/", false),
            ("a=1; HttpOnly; Path=/", true),
            ("a=1; Max-Age=0; Path=/", false),
            ("a=1; Max-Age=3600; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/", true),
            ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/", false),
        ])
    func rules(field: String, isSent: Bool) async throws {
        let api = try await HTTPBin.session()
        let parameters = json(#"{"Set-Cookie":"\#(field)"}"#)
        _ = try await api.data(for: TaskRequest(path: "response-headers", parameters: parameters))
        #expect(try await cookies(of: api) == (isSent ? ["a": "1"] : [:]))
    }

    @Test("with an expiry date outlive the session if it has a storage; others do not")
    func storage() async throws {
        let url = try HTTPURL(await HTTPBin.shared().origin)
        var configuration = SessionConfiguration(name: "bin", baseURL: url)
        configuration.makePatient()
        configuration.cookies = .persistent
        let storage = MemoryCookieStorage()
        let first = try Session(configuration, cookieStorage: storage)
        for field in ["kept=1; Max-Age=3600; Path=/", "gone=1; Path=/"] {
            let parameters = json(#"{"Set-Cookie":"\#(field)"}"#)
            _ = try await first.data(for: TaskRequest(path: "response-headers", parameters: parameters))
        }
        #expect(try await cookies(of: first) == ["kept": "1", "gone": "1"])
        try await first.flushCookies()
        let second = try Session(configuration, cookieStorage: storage)
        #expect(try await cookies(of: second) == ["kept": "1"])
        #expect(try await cookies(of: second, "cookies/delete?kept") == [:])
        try await second.flushCookies()
        #expect(try await cookies(of: Session(configuration, cookieStorage: storage)) == [:])
    }
}
