import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// The cookies that are sent after a response set them (RFC 6265).
@Suite("Rules of cookies", .timeLimit(.hang))
struct CookieSemanticsTests {
    /// Returns the `Cookie` field of a request after a response with `Set-Cookie`, on sub.e.com in 2015.
    private func cookie(
        after setCookie: [String], from first: String, to second: String, _ policy: CookiePolicy = .ephemeral,
        _ headers: [TaskHeader] = []
    ) async throws -> String? {
        let example = try Example(nil) {
            $0.cookies = policy
            $0.response.serializer = .raw
        }
        var fields = HTTPFields()
        for value in setCookie { fields.append(HTTPField(name: .setCookie, value: value)) }
        let transport = ScriptedTransport([.head(204, fields)])
        let session = example.session(over: transport)
        for task in [TaskRequest(path: first), TaskRequest(path: second, headers: headers)] {
            #expect(await session.run(try session.prepare(task), sink: MemorySink()).error == nil)
        }
        return transport.requests.last?.headers[.cookie]
    }

    @Test(
        "a cookie is sent as its attributes direct",
        arguments: [
            ("back to its host", ["a=1"], "http://sub.e.com/", "a=1"),
            ("not to another host", ["a=1"], "http://e.com/", nil),
            ("not to a host below", ["a=1"], "http://x.sub.e.com/", nil),
            ("with Domain, to the hosts below that", ["a=1; Domain=e.com"], "http://x.e.com/", "a=1"),
            ("with a Domain that is not its own, nowhere", ["a=1; Domain=o.com"], "http://o.com/", nil),
            ("with a public suffix for Domain, nowhere", ["a=1; Domain=com"], "http://e.com/", nil),
            ("below its Path", ["a=1; Path=/x"], "http://sub.e.com/x/y", "a=1"),
            ("not to siblings of its Path", ["a=1; Path=/x"], "http://sub.e.com/xy", nil),
            ("by default below the folder of the request", ["a=1"], "http://sub.e.com/other", "a=1"),
            ("Secure, not in cleartext", ["a=1; Secure"], "http://sub.e.com/", nil),
            ("until its Max-Age", ["a=1; Max-Age=10"], "http://sub.e.com/", "a=1"),
            ("not after its Max-Age", ["a=1; Max-Age=0"], "http://sub.e.com/", nil),
            ("until it expires", ["a=1; Expires=Mon, 31 Aug 2015 00:00:00 GMT"], "http://sub.e.com/", "a=1"),
            ("not after it has expired", ["a=1; Expires=Sat, 29 Aug 2015 00:00:00 GMT"], "http://sub.e.com/", nil),
            (
                "Max-Age before Expires", ["a=1; Max-Age=10; Expires=Sat, 29 Aug 2015 00:00:00 GMT"],
                "http://sub.e.com/", "a=1"
            ),
            ("the latest of a name", ["a=1", "a=2"], "http://sub.e.com/", "a=2"),
            ("several, longer paths first", ["a=1; Path=/", "b=2; Path=/x"], "http://sub.e.com/x", "b=2; a=1"),
        ] as [(String, [String], String, String?)])
    func attributes(rule: String, setCookie: [String], url: String, expected: String?) async throws {
        #expect(try await cookie(after: setCookie, from: "http://sub.e.com/", to: url) == expected, "\(rule)")
    }

    @Test(
        "AFNetworking: a session accepts and sends cookies, unless configured otherwise",
        arguments: [(.ephemeral, "a=1"), (.persistent, "a=1"), (.off, nil)] as [(CookiePolicy, String?)])
    func policy(policy: CookiePolicy, expected: String?) async throws {
        #expect(try await cookie(after: ["a=1"], from: "http://e.com/", to: "http://e.com/", policy) == expected)
    }

    @Test("a task's own Cookie replaces the session's")
    func ownCookie() async throws {
        let own = [TaskHeader("cookie", "b=2; c=3")]
        let sent = try await cookie(after: ["a=1"], from: "http://e.com/", to: "http://e.com/", .ephemeral, own)
        #expect(sent == "b=2; c=3")
    }
}
