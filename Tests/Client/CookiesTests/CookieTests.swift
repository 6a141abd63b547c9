import Testing

@testable import ErrandCookies

@Suite("Cookie")
struct CookieTests {
    private func cookie(
        name: String = "a", value: String = "b", domain: String = "example.com", path: String = "/"
    ) -> Cookie? {
        Cookie(id: Cookie.ID(name: name, domain: domain, isHostOnly: true, path: path), value: value)
    }

    @Test("A cookie that a server could have set is valid")
    func wellFormed() {
        let cookie = cookie(name: "näme", value: "\"v\u{e4}l=u e\"\t,")
        #expect(cookie?.value == "\"v\u{e4}l=u e\"\t,")
        #expect(self.cookie(value: "") != nil)
        #expect(self.cookie(value: String(repeating: "v", count: Cookie.maxBytes - 1)) != nil)
    }

    @Test(
        "A name or value cannot contain a character that ends a field or cookie",
        arguments: [";", "\r\n", "\n", "\0", "\u{7F}", "\u{1B}"])
    func controls(_ text: String) {
        #expect(cookie(name: "a\(text)b") == nil)
        #expect(cookie(value: "a\(text)b") == nil)
    }

    @Test(
        "A name or value neither begins nor ends with a space or tab, which would hide the prefix of a name",
        arguments: [" ", "\t"])
    func outerSpace(_ space: String) {
        for text in [space, "\(space)__Host-a", "a\(space)"] {
            #expect(cookie(name: text) == nil)
            #expect(cookie(value: text) == nil)
        }
        #expect(cookie(name: "a\(space)b", value: "a\(space)b") != nil)
    }

    @Test("A cookie needs a name, a domain and an absolute path, and is limited in size")
    func malformed() {
        #expect(cookie(name: "") == nil)
        #expect(cookie(name: "a=b") == nil)
        #expect(cookie(domain: "") == nil)
        #expect(cookie(path: "") == nil)
        #expect(cookie(path: "a/") == nil)
        #expect(cookie(value: String(repeating: "v", count: Cookie.maxBytes)) == nil)
    }

    @Test("The value is never shown")
    func redacted() throws {
        let cookie = try #require(self.cookie(name: "session", value: "s3cret"))
        var dumped = ""
        dump([cookie], to: &dumped)
        for text in ["\(cookie)", String(reflecting: cookie), "\([CookieChange.set(cookie)])", dumped] {
            #expect(text.contains("session"))
            #expect(!text.contains("s3cret"))
        }
    }

    @Test("A cookie expires at its expiry date")
    func expiry() throws {
        let id = Cookie.ID(name: "a", domain: "example.com", isHostOnly: true, path: "/")
        let cookie = try #require(Cookie(id: id, value: "b", expires: 100))
        #expect(!cookie.isExpired(at: 99))
        #expect(cookie.isExpired(at: 100))
        #expect(try #require(Cookie(id: id, value: "b")).isExpired(at: .max) == false)
    }
}
