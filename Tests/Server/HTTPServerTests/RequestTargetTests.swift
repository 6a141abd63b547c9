import ErrandHTTPServer
import Testing

@Suite("RequestTarget")
struct RequestTargetTests {
    @Test(
        "the path is split before it is decoded, and nothing is merged",
        arguments: [
            ("/", [""]),
            ("/v1/tasks", ["v1", "tasks"]),
            ("/v1/tasks/", ["v1", "tasks", ""]),
            ("//a///b", ["", "a", "", "", "b"]),
            ("/a%2Fb/c", ["a/b", "c"]),
            ("/a/../b/./c", ["a", "..", "b", ".", "c"]),
            ("/%e2%82%ac", ["€"]),
            ("/a+b", ["a+b"]),
            ("/tasks%3Abatch", ["tasks:batch"]),
            ("/a/b/c/d/e/f", ["a", "b", "c", "d", "e", "f"]),
            ("http://example.com", [""]),
            ("http://example.com?a/b", [""]),
            ("/x?a/b", ["x"]),
            ("*", []),
        ])
    func segments(raw: String, expected: [String]) throws {
        let target = try RequestTarget(raw)
        #expect(target.segments == expected)
        #expect(target.raw == raw)
    }

    @Test(
        "an ambiguous target is rejected",
        arguments: [
            ("", RequestTargetError.notOriginForm),
            ("v1", .notOriginForm),
            ("ftp://example.com/", .notOriginForm),
            ("http:/example.com/", .notOriginForm),
            ("http:///a", .illegalAuthority),
            ("http://:80/a", .illegalAuthority),
            ("http://a@b/", .illegalAuthority),
            ("http://a:b/", .illegalAuthority),
            ("http://[a/", .illegalAuthority),
            ("http://a/%", .illegalEscape),
            ("example.com:443", .notOriginForm),
            ("**", .notOriginForm),
            ("/a b", .illegalCharacter(0x20)),
            ("/a\tb", .illegalCharacter(0x09)),
            ("/a\u{7F}", .illegalCharacter(0x7F)),
            ("/a\u{0}b", .illegalCharacter(0x00)),
            ("/a#b", .illegalCharacter(0x23)),
            ("/é", .illegalCharacter(0xC3)),
            ("/%", .illegalEscape),
            ("/%4", .illegalEscape),
            ("/%zz", .illegalEscape),
            ("/a%00b", .illegalEscape),
            ("/%C0%AF", .illegalEscape),
            ("/%ff", .illegalEscape),
            ("/%ED%A0%80", .illegalEscape),
            ("/x?q=%", .illegalEscape),
            ("/x?q=%00", .illegalEscape),
            ("/x?q=%80", .illegalEscape),
        ])
    func illegal(raw: String, error: RequestTargetError) {
        #expect(throws: error) { try RequestTarget(raw) }
        #expect(!error.description.isEmpty)
    }

    @Test(
        "query items are parsed as form data",
        arguments: [
            ("/", []),
            ("/?", []),
            ("/?a=1&b=2", [QueryItem(name: "a", value: "1"), QueryItem(name: "b", value: "2")]),
            (
                "/?a&=b&&c=",
                [
                    QueryItem(name: "a", value: ""), QueryItem(name: "", value: "b"), QueryItem(name: "c", value: ""),
                ]
            ),
            ("/?q=a+b%2Bc&q=%26", [QueryItem(name: "q", value: "a b+c"), QueryItem(name: "q", value: "&")]),
            ("/?a=b=c?d", [QueryItem(name: "a", value: "b=c?d")]),
            ("/?label.team=b%C3%A4r", [QueryItem(name: "label.team", value: "bär")]),
        ])
    func queryItems(raw: String, expected: [QueryItem]) throws {
        #expect(try RequestTarget(raw).queryItems == expected)
    }

    @Test(
        "an absolute target is split into its host and its path",
        arguments: [
            ("http://example.com/a/b?c=d", "example.com", "/a/b", "c=d"), ("HTTPS://a:8443", "a:8443", "/", nil),
            ("http://[::1]:80?x", "[::1]:80", "/", "x"), ("http://a//b", "a", "//b", nil),
        ] as [(String, String, String, String?)])
    func absoluteForm(raw: String, authority: String, path: String, query: String?) throws {
        let target = try RequestTarget(raw)
        #expect(target.raw == raw)
        #expect(target.authority == authority)
        #expect(target.path == path)
        #expect(target.query == query)
        #expect(try RequestTarget("/a").authority == nil)
    }

    @Test("a lone question mark is an empty query, which differs from no query")
    func emptyQuery() throws {
        #expect(try RequestTarget("/a?").query == "")
        #expect(try RequestTarget("/a").query == nil)
        #expect(try RequestTarget("/a?b?c").query == "b?c")
        #expect(try RequestTarget("/a?b?c").path == "/a")
    }
}
