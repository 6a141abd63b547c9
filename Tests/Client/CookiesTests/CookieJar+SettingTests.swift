import ErrandCookies
import ErrandTransfer
import Testing

@Suite("A cookie of the program")
struct CookieJarSettingTests {
    private func cookie(
        _ name: String, _ value: String = "1", expires: Int64? = nil, isSecure: Bool = false
    ) throws -> Cookie {
        let id = identity(name, "example.com")
        return try #require(Cookie(id: id, value: value, expires: expires, isSecure: isSecure))
    }

    @Test("is sent as one that a server has set, and replaces one with its identity")
    func sent() throws {
        let page = try url("https://example.com/page")
        var jar = CookieJar()
        jar.store(["a=server", "s=server; Secure"], from: page, now: newYear)
        let changes = jar.set(try cookie("b", isSecure: true), now: newYear)
        #expect(changes?.count == 1)
        let sent = jar.header(for: page, now: newYear)
        #expect(sent == "a=server; s=server; b=1")
        let inClear = jar.header(for: try url("http://example.com/page"), now: newYear)
        #expect(inClear == "a=server")
        for name in ["a", "s"] {
            let changes = jar.set(try cookie(name, "program"), now: newYear)
            #expect(changes?.count == 1)
        }
        let replaced = jar.header(for: page, now: newYear)
        #expect(replaced == "a=program; s=program; b=1")
        let elsewhere = jar.header(for: try url("https://www.example.com/page"), now: newYear)
        #expect(elsewhere == nil)
    }

    @Test("that has expired removes the one with its identity")
    func expired() throws {
        var jar = CookieJar()
        let kept = try cookie("a", expires: newYear + 60)
        let first = jar.set(kept, now: newYear)
        #expect(first?.count == 1)
        let gone = try cookie("a", expires: newYear)
        let changes = jar.set(gone, now: newYear)
        #expect(changes == [.removed(gone.id)])
        #expect(jar.isEmpty)
    }

    @Test("lives at most 400 days")
    func lifetime() throws {
        var jar = CookieJar()
        let changes = jar.set(try cookie("a", expires: .max), now: newYear)
        #expect(changes?.count == 1)
        #expect(jar.cookies.map(\.expires) == [newYear + SetCookieParser.maxAgeLimit])
    }

    @Test(
        "needs the host of a URL as its domain, no public suffix for the hosts below it, and what its name promises",
        arguments: [
            (identity("a", "example.com"), false, true),
            (identity("a", "com"), false, true),
            (identity("a", "localhost"), false, true),
            (identity("a", "127.0.0.1", isHostOnly: false), false, true),
            (identity("a", "[::1]"), false, true),
            (identity("__Host-a", "example.com"), true, true),
            (identity("__Secure-a", "example.com", isHostOnly: false, path: "/x"), true, true),
            (identity("a", "com", isHostOnly: false), false, false),
            (identity("a", "co.uk", isHostOnly: false), false, false),
            (identity("a", "Example.com"), false, false),
            (identity("a", "example.com:80"), false, false),
            (identity("a", "example.com/x"), false, false),
            (identity("a", "ada@example.com"), false, false),
            (identity("a", "exämple.com"), false, false),
            (identity("__Host-a", "example.com"), false, false),
            (identity("__Host-a", "example.com", isHostOnly: false), true, false),
            (identity("__host-a", "example.com", path: "/x"), true, false),
            (identity("__Secure-a", "example.com"), false, false),
        ] as [(Cookie.ID, Bool, Bool)])
    func rules(id: Cookie.ID, isSecure: Bool, isAllowed: Bool) throws {
        var jar = CookieJar()
        let cookie = try #require(Cookie(id: id, value: "1", isSecure: isSecure))
        let changes = jar.set(cookie, now: newYear)
        #expect((changes != nil) == isAllowed)
        #expect(jar.count == (isAllowed ? 1 : 0))
    }
}

/// Returns an identity, by default for one host and all paths.
private func identity(
    _ name: String, _ domain: String, isHostOnly: Bool = true, path: String = "/"
) -> Cookie.ID {
    Cookie.ID(name: name, domain: domain, isHostOnly: isHostOnly, path: path)
}
