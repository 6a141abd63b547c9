import Testing

@testable import ErrandCookies

@Suite("CookiePath")
struct CookiePathTests {
    @Test(
        "A cookie without a path is for the folder of the request",
        arguments: [
            ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/", "/a/b"), ("//", "/"), ("", "/"),
            ("a", "/"), ("a/b", "/"), ("/é/b", "/é"),
        ])
    func defaults(_ requestPath: String, _ path: String) {
        #expect(CookiePath.defaultPath(of: requestPath) == path)
    }

    @Test(
        "A path matches itself and the paths below it",
        arguments: [
            ("/", "/"), ("/a", "/"), ("/a", "/a"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b", "/a/"), ("/a//b", "/a"),
        ])
    func matches(_ requestPath: String, _ path: String) {
        #expect(CookiePath.matches(requestPath: requestPath, cookiePath: path))
    }

    @Test(
        "A path matches neither siblings nor parents",
        arguments: [
            ("/", "/a"), ("/ab", "/a"), ("/a", "/a/"), ("/A", "/a"), ("/a%62", "/ab"), ("/a?", "/a"),
            ("/a\u{301}", "/a"),
        ])
    func differs(_ requestPath: String, _ path: String) {
        #expect(!CookiePath.matches(requestPath: requestPath, cookiePath: path))
    }
}
