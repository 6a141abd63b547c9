import ErrandCookies
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("The cookies that a program sees", .timeLimit(.hang))
struct SessionOwnCookiesTests {
    /// 2026-01-01T00:00:00Z.
    private let now: Int64 = 1_767_225_600
    /// Sets a cookie with each response of `e.com`.
    private let transport = ScriptedTransport { request in
        let headers: HTTPFields = request.url.host == "e.com" ? [.setCookie: "server=1; Max-Age=60"] : [:]
        return [.head(ResponseHead(status: 204, headers: headers))]
    }

    private func session(
        _ policy: CookiePolicy = .ephemeral, storage: (any CookieStorage)? = nil
    ) throws -> Session {
        var configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://e.com/"))
        configuration.urlScope = .any
        configuration.response.serializer = .raw
        configuration.cookies = policy
        return Session(configuration, transport: transport, cookieStorage: storage, now: { [now] in now })
    }

    private func cookie(
        _ name: String, domain: String = "e.com", expires: Int64? = nil, isSecure: Bool = false
    ) throws -> Cookie {
        let id = Cookie.ID(name: name, domain: domain, isHostOnly: true, path: "/")
        return try #require(Cookie(id: id, value: "1", expires: expires, isSecure: isSecure))
    }

    @Test("are those of servers and of the program, of all hosts, also without an expiry date")
    func stored() async throws {
        let session = try session()
        #expect(try await session.storedCookies.isEmpty)
        _ = try await session.data(for: TaskRequest())
        #expect(try await session.setCookie(cookie("mine", domain: "other.example")))
        let cookies = try await session.storedCookies
        #expect(cookies.map(\.name) == ["server", "mine"])
        #expect(cookies.map(\.domain) == ["e.com", "other.example"])
        #expect(cookies.map(\.expires) == [now + 60, nil])
        for path in ["http://other.example/", ""] { _ = try await session.data(for: TaskRequest(path: path)) }
        #expect(transport.requests.map { $0.headers[.cookie] } == [nil, "mine=1", "server=1"])
    }

    @Test("of the program obey the rules of cookies")
    func rules() async throws {
        let session = try session()
        #expect(try await session.setCookie(cookie("secure", isSecure: true)))
        #expect(try await !session.setCookie(cookie("__Host-a")))
        #expect(try await !session.setCookie(cookie("b", domain: "E.com")))
        let suffix = Cookie.ID(name: "c", domain: "co.uk", isHostOnly: false, path: "/")
        let forSuffix = try #require(Cookie(id: suffix, value: "1"))
        #expect(try await !session.setCookie(forSuffix))
        #expect(try await session.storedCookies.map(\.name) == ["secure"])
        _ = try await session.data(for: TaskRequest())
        #expect(transport.requests.map { $0.headers[.cookie] } == [nil])
    }

    @Test("are none without cookies")
    func off() async throws {
        let session = try session(.off)
        #expect(try await !session.setCookie(cookie("a")))
        _ = try await session.data(for: TaskRequest())
        try await session.removeCookies()
        #expect(try await session.storedCookies.isEmpty)
    }

    @Test("are loaded from the storage, kept there, and removed there too")
    func storage() async throws {
        let storage = MemoryCookieStorage([try cookie("old", expires: now + 60)])
        let session = try session(.persistent, storage: storage)
        #expect(try await session.storedCookies.map(\.name) == ["old"])
        #expect(try await session.setCookie(cookie("kept", expires: now + 60)))
        #expect(try await session.setCookie(cookie("passing")))
        try await session.flushCookies()
        #expect(storage.names == ["kept", "old"])
        try await session.removeCookies()
        #expect(storage.names.isEmpty)
        #expect(try await session.storedCookies.isEmpty)
        _ = try await session.data(for: TaskRequest())
        #expect(transport.requests.map { $0.headers[.cookie] } == [nil])
    }

    @Test("cannot be read or set while the storage cannot be read")
    func unreadable() async throws {
        let storage = MemoryCookieStorage()
        storage.beforeLoad { () throws(CookieStorageError) in
            throw CookieStorageError(.readFailed, "The storage is closed")
        }
        let session = try session(.persistent, storage: storage)
        let error = await #expect(throws: CookieStorageError.self) { try await session.storedCookies }
        #expect(error?.code == .readFailed)
        let cookie = try cookie("a")
        await #expect(throws: CookieStorageError.self) { try await session.setCookie(cookie) }
    }
}
