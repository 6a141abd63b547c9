import ErrandSessionCore
import ErrandTransfer
import Testing

/// Resolution of a task's path: AFNetworking's trailing slash of the base URL, then RFC 3986 §5.2.
@Suite("Rules of the base URL")
struct BaseURLSemanticsTests {
    @Test(
        "AFNetworking: a path of the base URL ends in a slash, given or added",
        arguments: [
            ("a path without one gets it", "http://example.com/v1", "foo", "http://example.com/v1/foo"),
            ("a path with one keeps it", "http://example.com/v1/", "foo", "http://example.com/v1/foo"),
            ("a query stays after it", "http://example.com/v1?x=1", "", "http://example.com/v1/?x=1"),
            ("an empty path becomes the root", "https://site", "", "https://site/"),
            ("no path, and a reference", "https://site", "foo", "https://site/foo"),
            ("reference with a query", "http://example.com/v1/", "foo?bar=baz", "http://example.com/v1/foo?bar=baz"),
            ("rooted reference", "http://example.com/v1/", "/foo", "http://example.com/foo"),
            ("reference that ends in a slash", "http://example.com/v1/", "foo/", "http://example.com/v1/foo/"),
            ("rooted reference that ends in a slash", "http://example.com/v1/", "/foo/", "http://example.com/foo/"),
            ("absolute reference", "http://example.com/v1/", "http://example2.com/", "http://example2.com/"),
        ])
    func slash(rule: String, base: String, path: String, expected: String) throws {
        let example = try Example(base) { $0.urlScope = .any }
        #expect(try example.request(TaskRequest(path: path)).url.string == expected, "\(rule)")
    }

    /// Results of Python's `urllib.parse.urljoin`, without fragments, which are not sent.
    @Test(
        "RFC 3986 §5.2: a reference is resolved against the base URL",
        arguments: [
            ("an empty reference is the base URL, query and all", "http://e.com/v1/?x=1", "", "http://e.com/v1/?x=1"),
            ("a fragment alone is the base URL", "http://e.com/v1/?x=1", "#top", "http://e.com/v1/?x=1"),
            ("a query replaces the base URL's", "http://e.com/v1/?x=1", "?y=2", "http://e.com/v1/?y=2"),
            ("a path drops the base URL's query", "http://e.com/v1/?x=1", "foo", "http://e.com/v1/foo"),
            ("a fragment is not sent", "http://e.com/v1/", "foo?y#top", "http://e.com/v1/foo?y"),
            ("here", "http://e.com/v1/", ".", "http://e.com/v1/"),
            ("one up", "http://e.com/v1/", "..", "http://e.com/"),
            ("one up and down again", "http://e.com/v1/", "../v2/x", "http://e.com/v2/x"),
            ("no further up than the root", "http://e.com/v1/", "../../../x", "http://e.com/x"),
            ("here in between", "http://e.com/v1/", "a/./b", "http://e.com/v1/a/b"),
            ("one up in between", "http://e.com/v1/", "a/../b", "http://e.com/v1/b"),
            ("dots that are names", "http://e.com/v1/", "..a/b..", "http://e.com/v1/..a/b.."),
            ("dots in a query are not resolved", "http://e.com/v1/", "a?b/../c", "http://e.com/v1/a?b/../c"),
            ("a path parameter", "http://e.com/v1/", ";x=1", "http://e.com/v1/;x=1"),
            ("a host", "http://e.com/v1/", "//o.com/x", "http://o.com/x"),
            ("a host with a port", "http://e.com/v1/", "//e.com:81/x", "http://e.com:81/x"),
        ])
    func reference(rule: String, base: String, path: String, expected: String) throws {
        let example = try Example(base) { $0.urlScope = .any }
        #expect(try example.request(TaskRequest(path: path)).url.string == expected, "\(rule)")
    }

    @Test(
        "AFNetworking: without a base URL the path is an absolute URL",
        arguments: [("http://e.com/x", nil), ("x", .badURL), ("/x", .badURL), ("//e.com/x", .badURL), ("", .badURL)]
            as [(String, SessionErrorCode?)])
    func noBase(path: String, code: SessionErrorCode?) throws {
        #expect(try Example(nil).problems(TaskRequest(path: path)).map(\.code) == (code.map { [$0] } ?? []))
    }

    @Test(
        "a task is limited to the session's scope",
        arguments: [
            ("base: below the base URL", .base, "users/1", true),
            ("base: not above it", .base, "../v2", false),
            ("base: not above it by an escaped dot", .base, "%2e%2e/v2", false),
            ("base: not to a path with the same beginning", .base, "/v10/users", false),
            ("base: not to another origin with the same path", .base, "http://o.com/v1/users", false),
            ("origin: anywhere on the host", .origin, "/other", true),
            ("origin: not to another host", .origin, "http://o.com/", false),
            ("origin: not to another port", .origin, "http://e.com:8080/", false),
            ("origin: not to another scheme", .origin, "https://e.com/", false),
            ("any: to another host", .any, "http://o.com/", true),
        ] as [(String, URLScope, String, Bool)])
    func scope(rule: String, scope: URLScope, path: String, isAllowed: Bool) throws {
        let example = try Example("http://e.com/v1/") { $0.urlScope = scope }
        let codes = example.problems(TaskRequest(path: path)).map(\.code)
        #expect(codes == (isAllowed ? [] : [.urlOutOfScope]), "\(rule)")
    }

    @Test(
        "an invalid URL has the number of NSURLErrorDomain",
        arguments: [
            ("another scheme", "ftp://e.com/", -1002), ("a file", "file:///etc/passwd", -1002),
            ("a space in the host", "http://a b/", -1000), ("no host", "http:///x", -1000),
            ("no port", "http://e.com:port/", -1000), ("user and password", "http://u:p@e.com/", -1000),
            ("a line break", "a\r\nb", -1000),
        ])
    func unusable(rule: String, path: String, number: Int) throws {
        let example = try Example { $0.urlScope = .any }
        #expect(example.problems(TaskRequest(path: path)).map(\.code.number) == [number], "\(rule)")
    }
}
