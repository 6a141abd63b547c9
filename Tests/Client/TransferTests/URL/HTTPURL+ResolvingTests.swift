import ErrandTransfer
import Testing

@Suite("HTTPURL: resolving and comparing")
struct HTTPURLResolvingTests {
    /// The examples of RFC 3986 §5.4.1 and §5.4.2 with `http:` results, fragments dropped.
    @Test(
        "resolves the examples of RFC 3986",
        arguments: [
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g/"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q"),
            ("g#s", "http://a/b/c/g"),
            ("g?y#s", "http://a/b/c/g?y"),
            (";x", "http://a/b/c/;x"),
            ("g;x", "http://a/b/c/g;x"),
            ("g;x?y#s", "http://a/b/c/g;x?y"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"),
            ("../../", "http://a/"),
            ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"),
            ("../../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."),
            (".g", "http://a/b/c/.g"),
            ("g..", "http://a/b/c/g.."),
            ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"),
            ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"),
            ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
            ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/./x", "http://a/b/c/g?y/./x"),
            ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("g#s/./x", "http://a/b/c/g"),
            ("g#s/../x", "http://a/b/c/g"),
        ])
    func examples(reference: String, expected: String) throws {
        let base = try HTTPURL("http://a/b/c/d;p?q")
        #expect(try base.resolving(reference).string == expected)
    }

    @Test("rejects a reference with another scheme than http or https")
    func otherSchemes() throws {
        let base = try HTTPURL("http://a/b/c/d;p?q")
        #expect(throws: HTTPURLError.unsupportedScheme("g")) { try base.resolving("g:h") }
        // RFC 3986 §5.4.2, the strict interpretation: an http URL without a host.
        #expect(throws: HTTPURLError.noHost) { try base.resolving("http:g") }
        #expect(throws: HTTPURLError.userInformation) { try base.resolving("//user@g") }
    }

    @Test(
        "resolves references against a base URL without a path, with a query or with a folder",
        arguments: [
            ("https://site", "foo", "https://site/foo"),
            ("https://site", "", "https://site/"),
            ("https://site?x", "?y", "https://site/?y"),
            ("http://example.com/v1/", "foo/", "http://example.com/v1/foo/"),
            ("http://example.com/v1/", "/foo", "http://example.com/foo"),
            ("http://example.com/v1/", "https://other:8443/foo", "https://other:8443/foo"),
            ("https://example.com:8443/v1/", "//other/foo", "https://other/foo"),
            ("http://example.com/v1/", "10:30", "http://example.com/v1/10:30"),
            ("http://example.com/v1/", "a%2f..%2fb", "http://example.com/v1/a%2f..%2fb"),
            ("http://example.com/v1/", "%2e%2e/x", "http://example.com/x"),
            ("http://example.com/v1/?q", "?", "http://example.com/v1/?"),
            ("http://example.com/v1/", "x y?é", "http://example.com/v1/x%20y?%C3%A9"),
        ])
    func bases(base: String, reference: String, expected: String) throws {
        #expect(try HTTPURL(base).resolving(reference).string == expected)
    }

    @Test("compares origins")
    func origins() throws {
        let url = try HTTPURL("http://example.com/a")
        #expect(url.isSameOrigin(as: try HTTPURL("HTTP://EXAMPLE.COM:80/b?c")))
        #expect(!url.isSameOrigin(as: try HTTPURL("https://example.com/a")))
        #expect(!url.isSameOrigin(as: try HTTPURL("http://example.com:81/a")))
        #expect(!url.isSameOrigin(as: try HTTPURL("http://example.com./a")))
        #expect(!url.isSameOrigin(as: try HTTPURL("http://www.example.com/a")))
    }

    @Test(
        "determines whether it is below a base URL",
        arguments: [
            ("http://e/v1/a", true),
            ("http://e/v1/", true),
            ("http://e/v1/a/b?x=/../..", true),
            ("http://e/v1/a..b", true),
            ("http://e/v1", false),
            ("http://e/v1x", false),
            ("http://e/", false),
            ("http://e/v1/../a", false),
            ("https://e/v1/a", false),
            ("http://e/v1/..%2fadmin", false),
            ("http://e/v1/a/..%5Cadmin", false),
            ("http://e/v1/a\\..\\..\\admin", false),
            ("http://e/v1/%2e%2e%2Fadmin", false),
            ("http://e/v1/..;/admin", false),
            ("http://e/v1/a/..;x=1/admin", false),
            ("http://e/v1/%2e%2e%3Bx/admin", false),
            ("http://e/v1/a;x=..;y/b", true),
        ])
    func below(url: String, expected: Bool) throws {
        #expect(try HTTPURL(url).isBelow(HTTPURL("http://e/v1/base?x")) == expected)
    }

    @Test(
        "appends to its query without a stray ampersand",
        arguments: [
            ("http://e/p", "a=1", "http://e/p?a=1"),
            ("http://e/p?", "a=1", "http://e/p?a=1"),
            ("http://e/p?x", "a=1", "http://e/p?x&a=1"),
            ("http://e/p?x&", "a=1", "http://e/p?x&a=1"),
            ("http://e/p?x#f", "a=1", "http://e/p?x&a=1"),
            ("http://e/p?x", "", "http://e/p?x"),
            ("http://e/p", "a=b c#d%20", "http://e/p?a=b%20c%23d%20"),
        ])
    func adds(url: String, addition: String, expected: String) throws {
        #expect(try HTTPURL(url).addingQuery(addition).string == expected)
    }

    @Test(
        "appends a slash to its path",
        arguments: [
            ("http://e.com/v1", "http://e.com/v1/"),
            ("http://e.com/v1/", "http://e.com/v1/"),
            ("http://e.com/v1?x=1", "http://e.com/v1/?x=1"),
            ("https://site", "https://site/"),
        ])
    func trailingSlash(url: String, expected: String) throws {
        #expect(try HTTPURL(url).withTrailingSlashPath.string == expected)
    }
}
