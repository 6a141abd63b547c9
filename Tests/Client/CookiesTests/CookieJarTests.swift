import ErrandCookies
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("CookieJar")
struct CookieJarTests {
    private var jar = CookieJar()

    private func header(_ text: String, now: Int64 = newYear) throws -> String? {
        var jar = jar
        return jar.header(for: try url(text), now: now)
    }

    @discardableResult
    private mutating func store(
        _ fields: String..., from text: String = "https://example.com/", now: Int64 = newYear
    ) throws -> [CookieChange] {
        jar.store(fields, from: try url(text), now: now)
    }

    // MARK: Sending

    @Test("A host-only cookie is sent to that host only, on any port, over both schemes")
    mutating func hostOnly() throws {
        try store("a=1")
        for text in ["https://example.com/", "https://example.com:8443/x", "http://example.com/"] {
            #expect(try header(text) == "a=1")
        }
        for text in ["https://www.example.com/", "https://example.org/", "https://com/", "https://example.com./"] {
            #expect(try header(text) == nil)
        }
    }

    @Test("A domain cookie is sent to the domain and its subdomains")
    mutating func domain() throws {
        try store("a=1; Domain=example.com", from: "https://www.example.com/")
        for text in ["https://example.com/", "https://www.example.com/", "https://a.b.example.com/"] {
            #expect(try header(text) == "a=1")
        }
        for text in ["https://badexample.com/", "https://com/", "https://example.com.evil.org/"] {
            #expect(try header(text) == nil)
        }
    }

    @Test("An address has its own cookies, however it is written")
    mutating func address() throws {
        try store("a=1", from: "http://127.0.0.1:8080/")
        try store("b=2", from: "http://[::1]/")
        #expect(try header("http://0x7f.1/") == "a=1")
        #expect(try header("http://[0:0:0:0:0:0:0:1]/") == "b=2")
        #expect(try header("http://127.0.0.2/") == nil)
    }

    @Test("A secure cookie is sent over https only")
    mutating func secure() throws {
        try store("a=1; Secure", "b=2")
        #expect(try header("https://example.com/") == "a=1; b=2")
        #expect(try header("http://example.com/") == "b=2")
    }

    @Test("Cookies with longer paths come first, those with equal lengths in order of creation")
    mutating func order() throws {
        try store(
            "a=1; Path=/", "b=2; Path=/x/y", "c=3; Path=/x", "d=4; Path=/x/y; Domain=example.com", "e=5; Path=/z",
            "f=6; Path=/")
        #expect(try header("https://example.com/x/y/z?q") == "b=2; d=4; c=3; a=1; f=6")
        #expect(try header("https://example.com/x/yy") == "c=3; a=1; f=6")
    }

    @Test("Cookies of one name on several paths and domains are all sent")
    mutating func sameName() throws {
        try store("a=1; Path=/", "a=2; Path=/x", "a=3; Path=/; Domain=example.com")
        #expect(try header("https://example.com/x") == "a=2; a=1; a=3")
    }

    // MARK: Storing

    @Test("A new cookie replaces the one with its name, domain and path, and retains its position")
    mutating func replacing() throws {
        try store("a=1; Secure; Max-Age=60", "b=2")
        let changes = try store("a=3; HttpOnly")
        #expect(try header("http://example.com/") == "a=3; b=2")
        #expect(jar.count == 2)
        guard case .set(let cookie)? = changes.first, changes.count == 1 else {
            Issue.record("\(changes)")
            return
        }
        #expect(!cookie.isSecure && cookie.isHTTPOnly && cookie.expires == nil && cookie.creationOrder == 0)
    }

    @Test("Names, paths and values are case-sensitive")
    mutating func cases() throws {
        try store("a=1", "A=2", "a=3; Path=/X", "a=4; Path=/x")
        #expect(try header("https://example.com/X") == "a=3; a=1; A=2")
    }

    @Test("Names and values are compared by bytes, not by characters")
    mutating func bytes() throws {
        try store("\u{E9}=1; Max-Age=60", "e\u{301}=2", "v=\u{E9}")
        #expect(jar.count == 3)
        #expect(try store("v=e\u{301}").count == 1)
        #expect(try store("\u{E9}=; Max-Age=0").count == 1)
        #expect(jar.cookies.map { Array($0.name.utf8) } == [Array("e\u{301}".utf8), Array("v".utf8)])
    }

    @Test("Only changes are reported")
    mutating func changes() throws {
        #expect(try store("a=1; Max-Age=60").map(\.id.name) == ["a"])
        #expect(try store("a=1; Max-Age=60").isEmpty)
        // Sixty seconds from a later time are a different expiry.
        #expect(try store("a=1; Max-Age=60", now: newYear + 1).count == 1)
        #expect(try store("nonsense", "x=y; Domain=example.org", "gone=; Max-Age=0").isEmpty)
        let id = Cookie.ID(name: "a", domain: "example.com", isHostOnly: true, path: "/")
        #expect(try store("a=; Max-Age=0", now: newYear + 2) == [.removed(id)])
        #expect(jar.isEmpty)
    }

    @Test("A deletion without a domain does not delete the domain cookie")
    mutating func deletion() throws {
        try store("a=1; Domain=example.com")
        try store("a=; Max-Age=0")
        #expect(try header("https://example.com/") == "a=1")
        try store("a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Domain=example.com")
        #expect(try header("https://example.com/") == nil)
    }

    @Test("An expired cookie is no longer sent, and removed with the next change")
    mutating func expiry() throws {
        try store("a=1; Max-Age=10", "b=2; Max-Age=20", "c=3")
        #expect(try header("https://example.com/", now: newYear + 9) == "a=1; b=2; c=3")
        #expect(try header("https://example.com/", now: newYear + 10) == "b=2; c=3")
        #expect(jar.removeExpired(now: newYear + 9).isEmpty)
        let changes = try store("d=4", from: "https://example.org/", now: newYear + 20)
        #expect(changes.map(\.id.name) == ["a", "b", "d"])
        #expect(jar.cookies.map(\.name) == ["c", "d"])
    }

    @Test("A cookie whose expiry was extended is not removed at its first date")
    mutating func prolonged() throws {
        try store("a=1; Max-Age=10")
        try store("a=1; Max-Age=100", now: newYear + 5)
        #expect(jar.removeExpired(now: newYear + 50).isEmpty)
        #expect(try header("https://example.com/", now: newYear + 50) == "a=1")
        #expect(jar.removeExpired(now: newYear + 105).count == 1)
    }

    @Test("A response in cleartext cannot overlay secure cookies")
    mutating func overlay() throws {
        try store("a=1; Secure; Path=/x", from: "https://www.example.com/")
        for field in ["a=2; Path=/x", "a=2; Path=/x/y", "a=2; Path=/x; Domain=example.com"] {
            #expect(try store(field, from: "http://www.example.com/").isEmpty)
        }
        #expect(try store("a=2; Path=/x; Domain=example.com", from: "http://example.com/").isEmpty)
        #expect(try store("a=; Path=/x; Max-Age=0", from: "http://www.example.com/").isEmpty)
        #expect(try header("https://www.example.com/x") == "a=1")
        // Another name, a parent path, a sibling, or https.
        #expect(try store("b=2; Path=/x", from: "http://www.example.com/").count == 1)
        #expect(try store("a=2; Path=/", from: "http://www.example.com/").count == 1)
        #expect(try store("a=2; Path=/x", from: "http://api.example.com/").count == 1)
        #expect(try store("a=2; Path=/x", from: "https://www.example.com/").count == 1)
    }

    // MARK: Limits

    @Test("The least recently used cookie of a domain is evicted")
    mutating func perDomain() throws {
        jar = CookieJar(limits: CookieLimits(maxPerDomain: 3))
        try store("a=1; Path=/a", "b=2; Path=/b", "c=3; Path=/c")
        _ = jar.header(for: try url("https://example.com/a"), now: newYear + 1)
        let changes = try store("d=4", now: newYear + 2)
        #expect(changes.map(\.id.name) == ["d", "b"])
        try store("e=5", now: newYear + 3)
        #expect(jar.cookies.map(\.name) == ["a", "d", "e"])
        // Another domain has its own limit.
        try store("f=6", from: "https://www.example.com/", now: newYear + 4)
        #expect(jar.count == 4)
    }

    @Test("Of a domain's cookies, those that are not secure are evicted first")
    mutating func secureStay() throws {
        jar = CookieJar(limits: CookieLimits(maxPerDomain: 2))
        try store("a=1; Secure", now: newYear)
        try store("b=2", now: newYear + 1)
        try store("c=3; Secure", now: newYear + 2)
        #expect(jar.cookies.map(\.name) == ["a", "c"])
        // Cookies that are not secure do not evict them.
        try store("d=4", now: newYear + 3)
        #expect(jar.cookies.map(\.name) == ["a", "c"])
        try store("e=5; Secure", now: newYear + 4)
        #expect(jar.cookies.map(\.name) == ["c", "e"])
    }

    @Test("The least recently used cookie of all is evicted")
    mutating func total() throws {
        jar = CookieJar(limits: CookieLimits(maxTotal: 3))
        for (index, host) in ["a", "b", "c"].enumerated() {
            try store("n=\(index)", from: "https://\(host).example/", now: newYear + Int64(index))
        }
        _ = jar.header(for: try url("https://a.example/"), now: newYear + 3)
        let changes = try store("n=3", from: "https://d.example/", now: newYear + 4)
        #expect(changes.map(\.id.domain) == ["d.example", "b.example"])
        #expect(jar.count == 3)
    }

    @Test("After the clock was set back, neither a new cookie nor one in use is evicted first")
    mutating func clockSetBack() throws {
        jar = CookieJar(limits: CookieLimits(maxPerDomain: 3))
        try store("a=1; Path=/a", "b=2; Path=/b", "c=3; Path=/c", now: 1_000_000)
        _ = jar.header(for: try url("https://example.com/c"), now: 1_000)
        let changes = try store("d=4; Path=/d", now: 1_000)
        #expect(changes.map(\.id.name) == ["d", "a"])
        #expect(jar.cookies.map(\.name) == ["b", "c", "d"])
        // The time of a sent cookie is known to later accesses too.
        _ = jar.header(for: try url("https://example.com/c"), now: 1_000_001)
        try store("e=5; Path=/e", now: 1_002)
        try store("f=6; Path=/f", now: 1_003)
        #expect(jar.cookies.map(\.name) == ["c", "e", "f"])
    }

    @Test("Restored cookies of a later time do not let new ones be evicted first")
    mutating func restoredFromLaterTime() throws {
        jar = CookieJar(limits: CookieLimits(maxPerDomain: 2))
        jar.restore([try .sample("a", lastAccess: newYear + 9), try .sample("b", order: 1)], now: newYear)
        try store("c=1")
        try store("d=1")
        #expect(jar.cookies.map(\.name) == ["c", "d"])
    }

    @Test("Expired cookies are removed before others are evicted")
    mutating func expiredFirst() throws {
        jar = CookieJar(limits: CookieLimits(maxTotal: 2))
        try store("a=1")
        try store("b=2; Max-Age=1", from: "https://example.org/", now: newYear + 1)
        try store("c=3", from: "https://example.net/", now: newYear + 5)
        #expect(jar.cookies.map(\.name) == ["a", "c"])
    }

    @Test("By default the limits are 50 cookies of a domain and 3000 in all")
    mutating func defaults() throws {
        for host in 0..<70 {
            let fields = (0..<60).map { "n\($0)=\(host)" }
            jar.store(fields, from: try url("https://host\(host).example/"), now: newYear + Int64(host))
        }
        #expect(jar.count == 3000)
        #expect(Dictionary(grouping: jar.cookies, by: \.domain).values.allSatisfy { $0.count == 50 })
        #expect(jar.cookies.first?.domain == "host10.example")
    }

    @Test(
        "A jar with limits of 0 keeps no cookies",
        arguments: [CookieLimits(maxPerDomain: 0), CookieLimits(maxTotal: 0), CookieLimits(maxTotal: -1)])
    func noRoom(_ limits: CookieLimits) throws {
        var jar = CookieJar(limits: limits)
        jar.store(["a=1", "b=2"], from: try url("https://example.com/"), now: newYear)
        #expect(jar.isEmpty)
        #expect(jar.cookies.isEmpty)
    }

    // MARK: Restoring

    @Test("Restored cookies are sent in their old order, before new ones")
    mutating func restoring() throws {
        let changes = jar.restore([try .sample("b", order: 7), try .sample("a", order: 3)], now: newYear)
        #expect(changes.isEmpty)
        try store("c=1")
        #expect(try header("https://example.com/") == "a=1; b=1; c=1")
        #expect(jar.cookies.map(\.creationOrder) == [3, 7, 8])
    }

    @Test("Expired and excess cookies are reported for removal when restoring")
    mutating func restoringTooMuch() throws {
        jar = CookieJar(limits: CookieLimits(maxPerDomain: 2))
        let cookies = [
            try Cookie.sample("old", expires: newYear, order: 0),
            try Cookie.sample("a", order: 1, lastAccess: newYear - 1),
            try Cookie.sample("b", order: 2, lastAccess: newYear - 9),
            try Cookie.sample("c", order: 3, lastAccess: newYear - 1),
        ]
        #expect(jar.restore(cookies, now: newYear) == [.removed(cookies[0].id), .removed(cookies[2].id)])
        #expect(jar.cookies.map(\.name) == ["a", "c"])
    }

    @Test("Restoring does not replace existing cookies, and counts a duplicate once")
    mutating func restoringTwice() throws {
        try store("a=new")
        jar.restore([try .sample("a", "old"), try .sample("b", "1"), try .sample("b", "2", order: 1)], now: newYear)
        #expect(try header("https://example.com/") == "a=new; b=1")
        #expect(jar.count == 2)
    }

    @Test("Damaged creation numbers do no harm", arguments: [Int64.max, .max - 1, .min])
    mutating func damagedNumbers(_ order: Int64) throws {
        jar.restore([try .sample("b", order: order, lastAccess: .max), try .sample("a", order: order)], now: newYear)
        try store("c=1", "d=1")
        #expect(jar.count == 4)
        #expect(try header("https://example.com/")?.split(separator: "; ").count == 4)
    }

    @Test("Removing all cookies reports each of them")
    mutating func removingAll() throws {
        try store("a=1", "b=2; Domain=example.com")
        #expect(jar.removeAll().map(\.id.name) == ["a", "b"])
        #expect(jar.isEmpty)
        #expect(jar.removeAll().isEmpty)
        #expect(try header("https://example.com/") == nil)
    }

    // MARK: Random input

    @Test(
        "The jar and a model built from its changes hold the same cookies", arguments: TestBuild.seeds(10))
    func changesAreComplete(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var jar = CookieJar(limits: CookieLimits(maxPerDomain: 4, maxTotal: 9))
        var mirror: [Cookie.ID: Cookie] = [:]
        let urls = try [
            "https://a.example.com/x/y", "http://a.example.com/", "https://b.example.com/x", "http://127.0.0.1/",
        ]
        .map(url)
        let attributes = [
            "", "; Domain=example.com", "; Path=/x", "; Max-Age=3", "; Max-Age=0", "; Secure", "; Max-Age=1",
        ]
        var now = newYear
        for _ in 0..<2000 {
            now += Int64.random(in: 0...1, using: &random)
            let from = urls[Int.random(in: urls.indices, using: &random)]
            let fields = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                "n\(Int.random(in: 0...5, using: &random))=\(Int.random(in: 0...2, using: &random))"
                    + attributes[Int.random(in: attributes.indices, using: &random)]
                    + attributes[Int.random(in: attributes.indices, using: &random)]
            }
            for change in jar.store(fields, from: from, now: now) {
                switch change {
                case .set(let cookie): mirror[cookie.id] = cookie
                case .removed(let id): mirror[id] = nil
                }
            }
            // The last access is not reported.
            func comparable(_ cookie: Cookie) -> [String] {
                [
                    "\(cookie.id)", cookie.value, "\(cookie.creationOrder)", "\(cookie.expires ?? -1)",
                    "\(cookie.isSecure)",
                ]
            }
            #expect(Set(jar.cookies.map(comparable)) == Set(mirror.values.map(comparable)))
            #expect(jar.count == jar.cookies.count)
            #expect(jar.count <= 9)
            _ = jar.header(for: from, now: now)
        }
    }
}
