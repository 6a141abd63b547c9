import ErrandCookies
import ErrandTransfer
import Testing

/// The behavior of user agents, as in the tests by the authors of RFC 6265.
@Suite("Cookies from Set-Cookie to Cookie")
struct CookieExchangeTests {
    /// A `Set-Cookie` exchange: the fields sent by `http://home.example.org:8888/set/here`, and the cookies of a later
    /// request.
    struct Exchange: Sendable, CustomTestStringConvertible {
        let received: [String]
        let target: String
        let sent: String?

        init(_ received: String..., to target: String = "/set/there", sends sent: String?) {
            self.received = received
            self.target = target.hasPrefix("/") ? "http://home.example.org:8888\(target)" : target
            self.sent = sent
        }

        var testDescription: String { "\(received) to \(target)" }
    }

    private static let values = [
        Exchange("foo=bar", sends: "foo=bar"),
        Exchange("foo=bar", "foo=qux", sends: "foo=qux"),
        Exchange("z=y", "a=b", sends: "z=y; a=b"),
        Exchange("z=y; foo=bar, a=b", sends: "z=y"),
        Exchange("a=b", "=x", "c=d", sends: "a=b; c=d"),
        Exchange("a=b", "x=", "c=d", sends: "a=b; x=; c=d"),
        Exchange("foo", "", "; bar", "   ", "=", sends: nil),
        Exchange("  A=== BC  ;foo;;;   bar", sends: "A=== BC"),
        Exchange("aBc=\"zzz \"   \"ppp\"  ;", sends: "aBc=\"zzz \"   \"ppp\""),
        Exchange("a=\"x! = y;b\\\";\" z; max-age=6", sends: "a=\"x! = y"),
        Exchange("\"a=b\"=bar", "\"a=qux", sends: "\"a=qux"),
        Exchange("foo=春节回家路·春运", sends: "foo=春节回家路·春运"),
    ]

    private static let attributes = [
        Exchange("foo=bar; version=1; custom=\"1000 or more\"", sends: "foo=bar"),
        Exchange("foo=bar;       Secure     ;", sends: nil),
        Exchange("foo=bar; qux=\"aaa;bbb\"; Secure", sends: nil),
        Exchange("foo=bar; Secure qux", sends: "foo=bar"),
        Exchange("foo=bar; Max-Age=50,399", sends: "foo=bar"),
        Exchange("foo=bar; max-age=-20", sends: nil),
        Exchange("foo=bar; Expires=Thu, 10 Apr 1980 16:33:12 GMT", sends: nil),
        Exchange("foo=bar; Expires=Fri 07 Aug 2037 08:04:19 GMT, baz=qux", sends: "foo=bar"),
        Exchange("foo=bar; max-age=60", "foo1=bar; max-age=60", "foo=other; max-age=0", sends: "foo1=bar"),
    ]

    private static let paths = [
        Exchange("foo=bar; Path=/set/th", sends: nil),
        Exchange("foo=bar; Path=/set/THERE", sends: nil),
        Exchange("foo=bar; path=/elsewhere; path=", sends: "foo=bar"),
        Exchange("foo=bar; path=; path=/elsewhere", sends: nil),
        Exchange("foo=bar; path=/set/foo/qux;", to: "/set/foo/qux?x", sends: "foo=bar"),
        Exchange("foo=bar; path=/set/foo/qux?", to: "/set/foo/qux?x", sends: nil),
        Exchange("foo=bar; path=/set/foo/", to: "/set/foo//qux", sends: "foo=bar"),
        Exchange("foo=bar; path=/set/foo/", to: "/set/foo", sends: nil),
        Exchange("foo=bar; path=/set/f%6Fo", to: "/set/foo", sends: nil),
        Exchange("foo=bar; path=/set", "foo=qux; path=/set/", sends: "foo=qux; foo=bar"),
        Exchange("a=b;   path   =    /set   ", "x=y;    path   =    /book   ", sends: "a=b"),
        Exchange(
            "k=0", "k=1; path=/set", "k=2; path=/", "k=3; path=/bar", "k=4; domain=.example.org",
            "k=5; domain=.example.org; path=/set/foo", to: "/set/foo/baz", sends: "k=5; k=1; k=4; k=2"),
    ]

    private static let domains = [
        Exchange("foo=bar", to: "http://sub.home.example.org/set/", sends: nil),
        Exchange("foo=bar; domain=home.example.org", to: "http://sub.home.example.org/set/", sends: "foo=bar"),
        Exchange("foo=bar; domain=.home.example.org", to: "http://sibling.example.org/set/", sends: nil),
        Exchange("foo=bar; domain=example.org", to: "http://sibling.example.org/set/", sends: "foo=bar"),
        Exchange("foo=bar; domain=..home.example.org", sends: nil),
        Exchange("foo=bar; domain=  .  home.example.org", sends: nil),
        Exchange("foo=bar; domain=home.example.org.", sends: nil),
        Exchange("foo=bar; domain=.org", sends: nil),
        Exchange("foo=bar; domain=home.eXaMpLe.org", to: "http://HOME.example.ORG/set/", sends: "foo=bar"),
        Exchange("foo=bar; domain=home.example.org:8888", sends: nil),
        Exchange("foo=bar; domain=sub.home.example.org", to: "http://sub.home.example.org/set/", sends: nil),
        Exchange(
            "foo=bar; domain=.example.org; domain=home.example.org", to: "http://sibling.example.org/set/", sends: nil),
        Exchange("foo=bar; domain=home.example.com; domain=home.example.org", sends: "foo=bar"),
        Exchange("foo=bar; domain=home.example.org; domain=home.example.com", sends: nil),
        Exchange("foo=bar; domain=", sends: "foo=bar"),
        Exchange("foo=bar; domain=foo.example.org; domain=", sends: nil),
    ]

    @Test("Cookies are sent as expected", arguments: values + attributes + paths + domains)
    func exchange(_ exchange: Exchange) throws {
        var jar = CookieJar()
        jar.store(exchange.received, from: try url("http://home.example.org:8888/set/here"), now: newYear)
        #expect(jar.header(for: try url(exchange.target), now: newYear) == exchange.sent)
    }
}
