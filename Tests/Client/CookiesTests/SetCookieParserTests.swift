import ErrandCookies
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("SetCookieParser")
struct SetCookieParserTests {
    private func parse(_ field: String, from text: String = "https://www.example.com/a/b") throws -> Cookie? {
        SetCookieParser.parse(field, from: try url(text), now: newYear)
    }

    @Test("A cookie without attributes is host-only, for the folder of the request, and ends with the session")
    func plain() throws {
        let cookie = try #require(try parse("name=value"))
        #expect(cookie.id == Cookie.ID(name: "name", domain: "www.example.com", isHostOnly: true, path: "/a"))
        #expect(cookie.value == "value")
        #expect(cookie.expires == nil)
        #expect(!cookie.isSecure && !cookie.isHTTPOnly)
        #expect(cookie.lastAccess == newYear)
    }

    @Test("All attributes together, in any case")
    func attributes() throws {
        let cookie = try #require(
            try parse("n=v; SECURE; httponly ; doMAIN=.Example.COM;Path = /x; max-AGE=60; SameSite=Strict; Partitioned")
        )
        #expect(cookie.id == Cookie.ID(name: "n", domain: "example.com", isHostOnly: false, path: "/x"))
        #expect(cookie.expires == newYear + 60)
        #expect(cookie.isSecure && cookie.isHTTPOnly)
    }

    @Test(
        "Name and value are split at the first equals sign, without surrounding white space",
        arguments: [
            ("a=b", "a", "b"), ("  a \t= b  ", "a", "b"), ("a=", "a", ""), ("a==b=", "a", "=b="),
            ("a b=c d", "a b", "c d"),
            ("a=\"b c\"", "a", "\"b c\""), ("a=\" b", "a", "\" b"), ("a=\"b;c\"", "a", "\"b"),
            ("a=b, c=d", "a", "b, c=d"),
            ("$Version=1; a=b", "$Version", "1"), ("ä=ö", "ä", "ö"), ("a=b;\u{301}c", "a", "b"),
            ("a=x\ty", "a", "x\ty"),
        ])
    func pairs(_ field: String, _ name: String, _ value: String) throws {
        let cookie = try #require(try parse(field))
        #expect(cookie.name == name)
        #expect(cookie.value == value)
    }

    @Test(
        "A field without a name, or with a control character, is ignored",
        arguments: [
            "", ";", "a", "=", "=b", " =b", "; a=b", "a; b=c", "a\0=b", "a=b\r\nc=d", "a=b; Path=/\n", "a=b\u{7F}",
            "a=b; \u{1}",
        ])
    func ignored(_ field: String) throws {
        #expect(try parse(field) == nil)
    }

    @Test("Name and value together are at most 4096 bytes")
    func size() throws {
        #expect(try parse("a=\(String(repeating: "b", count: 4095))") != nil)
        #expect(try parse("a=\(String(repeating: "b", count: 4096))") == nil)
        #expect(try parse("a=\(String(repeating: "é", count: 2048))") == nil)
    }

    @Test("An attribute of more than 1024 bytes is ignored, but not its cookie")
    func attributeSize() throws {
        let path = "/" + String(repeating: "p", count: 1023)
        #expect(try parse("a=b; Path=\(path)")?.path == path)
        #expect(try parse("a=b; Path=\(path)p")?.path == "/a")
        #expect(try parse("a=b; Domain=example.com\(String(repeating: " ", count: 2000)); x")?.domain == "example.com")
    }

    // MARK: Time

    @Test(
        "Max-Age counts from now, and values that are not numbers are ignored",
        arguments: [
            ("Max-Age=1", newYear + 1), ("Max-Age=0", .min), ("Max-Age=-1", .min), ("Max-Age=007", newYear + 7),
            ("Max-Age=-99999999999999999999", .min), ("Max-Age=99999999999999999999", newYear + 34_560_000),
            ("Max-Age=34560000", newYear + 34_560_000), ("Max-Age=34560001", newYear + 34_560_000),
            ("Max-Age=10; Max-Age=20", newYear + 20), ("Max-Age=10; Max-Age=x", newYear + 10),
            ("Max-Age", nil), ("Max-Age=", nil), ("Max-Age=+1", nil), ("Max-Age=-", nil), ("Max-Age=1.5", nil),
            ("Max-Age=1 2", nil), ("Max-Age=\"1\"", nil), ("Max-Age=1,000", nil), ("Max-Age=١", nil),
            ("Max-Age=-\u{301}5", nil),
        ] as [(String, Int64?)])
    func maxAge(_ attribute: String, _ expires: Int64?) throws {
        #expect(try #require(try parse("a=b; \(attribute)")).expires == expires)
    }

    @Test(
        "Expires is a date at most 400 days ahead, and Max-Age overrides it",
        arguments: [
            ("Expires=Thu, 01 Jan 2026 00:01:00 GMT", newYear + 60), ("Expires=Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Expires=Fri, 31 Dec 9999 23:59:59 GMT", newYear + 34_560_000), ("Expires=never", nil), ("Expires", nil),
            ("Expires=1 Jan 2026 00:01:00; Max-Age=5", newYear + 5),
            ("Max-Age=5; Expires=1 Jan 2026 00:01:00", newYear + 5),
            ("Max-Age=x; Expires=1 Jan 2026 00:01:00", newYear + 60),
            ("Expires=1 Jan 2026 00:01:00; Expires=1 Jan 2026 00:02:00", newYear + 120),
            ("Expires=1 Jan 2026 00:01:00; Expires=soon", newYear + 60),
        ] as [(String, Int64?)])
    func expires(_ attribute: String, _ expires: Int64?) throws {
        #expect(try #require(try parse("a=b; \(attribute)")).expires == expires)
    }

    @Test("Expiry dates do not overflow")
    func endOfTime() throws {
        let cookie = SetCookieParser.parse("a=b; Max-Age=60", from: try url("https://example.com/"), now: .max - 1)
        #expect(cookie?.expires == .max)
    }

    // MARK: Domain

    @Test(
        "Domain extends a cookie to parent domains of the host",
        arguments: [
            ("example.com", "example.com"), (".example.com", "example.com"), ("EXAMPLE.com", "example.com"),
            ("www.example.com", "www.example.com"), ("  .example.com  ", "example.com"),
        ])
    func domain(_ attribute: String, _ domain: String) throws {
        let cookie = try #require(try parse("a=b; Domain=\(attribute)"))
        #expect(cookie.domain == domain)
        #expect(!cookie.isHostOnly)
    }

    @Test(
        "A cookie whose domain does not belong to the server is ignored",
        arguments: [
            "example.org", "api.example.com", "a.www.example.com", "ample.com", "..example.com", "example.com.",
            "example.com:443", "\"example.com\"", "*.example.com", "exämple.com", "127.0.0.1", ".\u{301}example.com",
        ])
    func foreignDomain(_ attribute: String) throws {
        #expect(try parse("a=b; Domain=\(attribute)") == nil)
    }

    @Test("A character that becomes an ASCII letter only in lower case matches no domain")
    func kelvinSign() throws {
        #expect(try parse("a=b; Domain=\u{212A}.example", from: "https://k.example/") == nil)
        #expect(try parse("a=b; Domain=K.example", from: "https://k.example/") != nil)
    }

    @Test("An empty Domain is ignored")
    func emptyDomain() throws {
        #expect(try #require(try parse("a=b; Domain=")).isHostOnly)
        #expect(try #require(try parse("a=b; Domain")).isHostOnly)
        #expect(try #require(try parse("a=b; Domain=.")).isHostOnly)
        #expect(try #require(try parse("a=b; Domain=example.com; Domain=")).domain == "example.com")
        #expect(try parse("a=b; Domain=example.com; Domain=example.org") == nil)
    }

    @Test(
        "A cookie for a public suffix is ignored",
        arguments: [
            ("https://example.com/", "com"), ("https://example.co.uk/", "co.uk"), ("https://example.co.uk/", ".uk"),
            ("https://errand.github.io/", "github.io"), ("https://a.localhost/", "localhost"),
            ("https://example.com./", "com."),
        ])
    func publicSuffix(_ from: String, _ domain: String) throws {
        #expect(try parse("a=b; Domain=\(domain)", from: from) == nil)
    }

    @Test(
        "The server of a public suffix can set cookies for itself",
        arguments: [
            ("https://github.io/", "github.io"), ("http://localhost/", "localhost"), ("http://upstream/", ".upstream"),
        ])
    func suffixServer(_ from: String, _ domain: String) throws {
        #expect(try #require(try parse("a=b; Domain=\(domain)", from: from)).isHostOnly)
    }

    @Test(
        "An address matches only itself",
        arguments: [
            ("http://127.0.0.1/", "127.0.0.1"), ("http://0x7f.1/", "127.0.0.1"), ("http://[::1]:8080/", "[::1]"),
        ])
    func address(_ from: String, _ domain: String) throws {
        #expect(try #require(try parse("a=b; Domain=\(domain)", from: from)).domain == domain)
        #expect(try parse("a=b; Domain=0.0.1", from: from) == nil)
        #expect(try #require(try parse("a=b", from: from)).domain == domain)
    }

    // MARK: Path

    @Test(
        "Path is used as written, or replaced by the request's folder if it is not a path",
        arguments: [
            ("Path=/", "/"), ("Path=/x/", "/x/"), ("Path=/x y%20", "/x y%20"), ("Path= /x ", "/x"), ("Path", "/a"),
            ("Path=", "/a"), ("Path=x", "/a"), ("Path=\"/x\"", "/a"), ("Path=/x; Path=/y", "/y"),
            ("Path=/x; Path=", "/a"),
        ])
    func path(_ attribute: String, _ path: String) throws {
        #expect(try #require(try parse("a=b; \(attribute)")).path == path)
    }

    // MARK: Security

    @Test("A secure cookie is accepted over https only, even from a host named localhost")
    func secure() throws {
        #expect(try #require(try parse("a=b; Secure")).isSecure)
        #expect(try #require(try parse("a=b; Secure=no")).isSecure)
        #expect(try #require(try parse("a=b; \"Secure\"")).isSecure == false)
        #expect(try parse("a=b; Secure", from: "http://www.example.com/") == nil)
        #expect(try parse("a=b; Secure", from: "http://localhost/") == nil)
    }

    @Test(
        "A cookie with a prefixed name must meet the requirements of the prefix",
        arguments: [
            ("__Secure-a=b; Secure", true), ("__Secure-a=b", false), ("__SECURE-a=b", false),
            ("__Secure-\u{301}a=b", false),
            ("__Host-a=b; Secure; Path=/", true), ("__Host-a=b; Path=/", false), ("__Host-a=b; Secure", false),
            ("__Host-a=b; Secure; Path=/a", false), ("__host-a=b; Secure; Path=/; Domain=example.com", false),
            ("__Host-a=b; Secure; Path=/; Domain=", true), ("__Host=b", true), ("a__Host-=b", true),
        ])
    func prefixes(_ field: String, _ isCookie: Bool) throws {
        #expect((try parse(field) != nil) == isCookie)
        #expect((try parse(field, from: "https://www.example.com/") != nil) == isCookie)
        // A cookie that needs Secure is not accepted in cleartext.
        if field.contains("Secure") { #expect(try parse(field, from: "http://www.example.com/") == nil) }
    }

    // MARK: Random input

    @Test("Every cookie that is accepted can be sent back", arguments: TestBuild.seeds(20))
    func mutations(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let pieces = [
            "a", "=", ";", " ", "\t", "Domain", "Path", "Expires", "Max-Age", "Secure", "HttpOnly", ".", "example.com",
            "/",
            "-", "99999999999999999999", "1", "Thu, 01 Jan 2026 00:00:00 GMT", "12:34:56", "Feb", "\"", ",", "\r\n",
            "\0",
            "é", "e\u{301}", "\u{301}", "\u{200D}", "\u{1F600}", "__Host-", "__Secure-", "[::1]", "127.0.0.1", "%00",
        ]
        let urls = try ["https://www.example.com/a/b", "http://127.0.0.1/", "http://[::1]/x/", "http://localhost/"].map(
            url)
        for _ in 0..<2000 {
            let field = (0..<Int.random(in: 0...24, using: &random))
                .map { _ in pieces[Int.random(in: pieces.indices, using: &random)] }.joined()
            let from = urls[Int.random(in: urls.indices, using: &random)]
            guard let cookie = SetCookieParser.parse(field, from: from, now: newYear) else { continue }
            let sent = "\(cookie.name)=\(cookie.value)"
            #expect(!sent.unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F || $0 == ";" })
            #expect(from.host.hasSuffix(cookie.domain))
            #expect(cookie.path.utf8.first == UInt8(ascii: "/"))
            #expect(cookie.expires.map { $0 <= newYear + SetCookieParser.maxAgeLimit } ?? true)
        }
    }
}
