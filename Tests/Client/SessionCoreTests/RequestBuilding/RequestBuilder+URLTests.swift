import ErrandSessionCore
import ErrandTransfer
import Testing

@Suite("The URL of a request")
struct RequestBuilderURLTests {
    static func configuration(_ base: String?, _ scope: URLScope) throws -> SessionConfiguration {
        var configuration = SessionConfiguration(name: "example", baseURL: try base.map { try HTTPURL($0) })
        configuration.urlScope = scope
        return configuration
    }

    @Test(
        "is the path resolved against the base URL with a trailing slash (RFC 3986 §5.2)",
        arguments: [
            ("http://e.com/v1", "foo", "http://e.com/v1/foo"),
            ("http://e.com/v1/", "foo/", "http://e.com/v1/foo/"),
            ("http://e.com/v1/", "/foo", "http://e.com/foo"),
            ("http://e.com/v1/", "", "http://e.com/v1/"),
            ("http://e.com/v1/", "?a=b", "http://e.com/v1/?a=b"),
            ("http://e.com/v1?x=1", "", "http://e.com/v1/?x=1"),
            ("http://e.com/v1?x=1", "foo", "http://e.com/v1/foo"),
            ("http://e.com", "foo?a=b#c", "http://e.com/foo?a=b"),
            ("http://e.com/v1/", "../v2/./x", "http://e.com/v2/x"),
            ("http://e.com/v1/", "%2e%2e/v2", "http://e.com/v2"),
            ("http://e.com/v1/", "http://e.com:80/x", "http://e.com/x"),
            ("http://e.com/v1/", "//e.com/x", "http://e.com/x"),
            ("https://[::1]:8443/a/", "b c/é", "https://[::1]:8443/a/b%20c/%C3%A9"),
        ])
    func resolved(base: String, path: String, expected: String) throws {
        let configuration = try Self.configuration(base, .origin)
        #expect(try prepare(TaskRequest(path: path), in: configuration).shownURL == expected)
    }

    @Test(
        "stays in the session's scope, checked after dot segments are removed",
        arguments: [
            (.base, "users", true), (.base, "", true), (.base, "a/../b", true), (.base, "/v1/x", true),
            (.base, "../v1/x", true), (.base, "/v1", false), (.base, "/v10/x", false), (.base, "../x", false),
            (.base, "%2e%2e/x", false), (.base, ".%2E/x", false), (.base, "a%2f..%2f..%2fx", false),
            (.base, "..%5cx", false), (.base, "//e.com/v1/x", true), (.base, "https://e.com/v1/x", false),
            (.base, "http://o.com/v1/x", false),
            (.origin, "../x", true), (.origin, "http://e.com/", true), (.origin, "HTTP://E.COM:80/", true),
            (.origin, "https://e.com/", false), (.origin, "http://e.com:8080/", false),
            (.origin, "//o.com/", false), (.origin, "http://e.com.o.com/", false),
            (.any, "http://o.com/", true), (.any, "https://e.com/", true),
        ] as [(URLScope, String, Bool)])
    func scope(scope: URLScope, path: String, isAllowed: Bool) throws {
        let configuration = try Self.configuration("http://e.com/v1", scope)
        let found = problems(TaskRequest(path: path), in: configuration)
        #expect(found.map(\.pointer) == (isAllowed ? [] : [["path"]]))
        #expect(found.map(\.code) == (isAllowed ? [] : [.urlOutOfScope]))
    }

    @Test("outside the scope is refused with both origins, or the folder, and a remedy, and without paths")
    func refusal() throws {
        for scope in [URLScope.origin, .base] {
            let configuration = try Self.configuration("http://127.0.0.1:28081/secret/", scope)
            let found = problems(TaskRequest(path: "http://example.com/hidden?q"), in: configuration)
            #expect(
                found.map(\.detail) == [
                    """
                    http://example.com is not the origin of the session's base URL (http://127.0.0.1:28081); give a \
                    path, use another session, or set the URL scope of the session (url_scope) to any
                    """
                ])
        }
        let found = problems(
            TaskRequest(path: "../x"), in: try Self.configuration("http://127.0.0.1:28081/secret/", .base))
        #expect(
            found.map(\.detail) == [
                """
                The path is not below that of the session's base URL; give a path that stays there, use another \
                session, or set the URL scope of the session (url_scope) to origin
                """
            ])
    }

    @Test("of a path whose first segment has a colon has another scheme, unless the path begins with ./")
    func colon() throws {
        let configuration = try Self.configuration("http://e.com/v1", .origin)
        let found = problems(TaskRequest(path: "users:batch"), in: configuration)
        #expect(found.map(\.code) == [.unsupportedURL])
        #expect(found.first?.detail.contains("with ./, as in ./users:") == true)
        let written = try prepare(TaskRequest(path: "./users:batch"), in: configuration)
        #expect(written.shownURL == "http://e.com/v1/users:batch")
        let foreign = problems(TaskRequest(path: "ftp://e.com/"), in: configuration)
        #expect(foreign.first?.detail.contains("./") == false)
    }

    @Test("is absolute, and may be any, if the session has no base URL")
    func noBase() throws {
        let configuration = try Self.configuration(nil, .origin)
        #expect(try prepare(TaskRequest(path: "http://e.com"), in: configuration).shownURL == "http://e.com/")
        #expect(problems(TaskRequest(path: "users"), in: configuration).map(\.code) == [.badURL])
    }

    @Test(
        "that is invalid is a problem of the path",
        arguments: [
            ("ftp://e.com/", .unsupportedURL), ("file:///etc/passwd", .unsupportedURL), ("http://", .badURL),
            ("http://a b/", .badURL), ("http://u:p@e.com/", .badURL), ("a\nb", .badURL), ("http://e.com:0/", .badURL),
            (String(repeating: "a", count: 70_000), .badURL),
        ] as [(String, SessionErrorCode)])
    func bad(path: String, code: SessionErrorCode) throws {
        let found = problems(TaskRequest(path: path), in: try Self.configuration("http://e.com/", .any))
        #expect(found.map(\.pointer) == [["path"]])
        #expect(found.map(\.code) == [code])
    }

    @Test(
        "has the parameters of GET, HEAD and DELETE in its query, before a fragment and after an existing query",
        arguments: [
            ("GET", "x", "http://e.com/x?a=1&b%5B%5D=2"), ("HEAD", "x?", "http://e.com/x?a=1&b%5B%5D=2"),
            ("DELETE", "x?y#z", "http://e.com/x?y&a=1&b%5B%5D=2"), ("POST", "x?y", "http://e.com/x?y"),
        ])
    func parameters(method: String, path: String, expected: String) throws {
        let request = TaskRequest(method: method, path: path, parameters: Array(#"{"b":[2],"a":1}"#.utf8))
        #expect(try prepare(request, in: Self.configuration("http://e.com/", .origin)).shownURL == expected)
    }

    @Test("does not change without pairs", arguments: ["{}", #"{"a":[]}"#, #"{"a":{"b":{}}}"#])
    func noPairs(parameters: String) throws {
        let request = TaskRequest(path: "x", parameters: Array(parameters.utf8))
        #expect(try prepare(request, in: Self.configuration("http://e.com/", .origin)).shownURL == "http://e.com/x")
    }

    @Test("made too long by its parameters is a problem of those")
    func tooLong() throws {
        let parameters = Array("{\"a\":\"\(String(repeating: "é", count: 20_000))\"}".utf8)
        let found = problems(TaskRequest(parameters: parameters), in: try Self.configuration("http://e.com/", .origin))
        #expect(found.map(\.pointer) == [["parameters"]])
        #expect(found.map(\.code) == [.badURL])
    }
}
