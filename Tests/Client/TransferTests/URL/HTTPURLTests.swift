import ErrandTransfer
import Testing

@Suite("HTTPURL: parsing")
struct HTTPURLTests {
    @Test(
        "normalizes its text",
        arguments: [
            ("http://example.com", "http://example.com/"),
            ("HTTP://EXAMPLE.com:80/A", "http://example.com/A"),
            ("https://example.com:443/", "https://example.com/"),
            ("https://example.com:80/", "https://example.com:80/"),
            ("http://example.com:/x", "http://example.com/x"),
            ("http://example.com:0080/x", "http://example.com/x"),
            ("http://example.com?x=1", "http://example.com/?x=1"),
            ("http://example.com?", "http://example.com/?"),
            ("http://example.com#top", "http://example.com/"),
            ("http://example.com/a?b#c?d", "http://example.com/a?b"),
            ("http://example.com/a b/é", "http://example.com/a%20b/%C3%A9"),
            ("http://example.com/?q=a b&l[]=é", "http://example.com/?q=a%20b&l%5B%5D=%C3%A9"),
            ("http://example.com/%7e%zz%", "http://example.com/%7e%25zz%25"),
            ("http://example.com/a\\b", "http://example.com/a%5Cb"),
            ("http://example.com/a/./b/../c", "http://example.com/a/c"),
            ("http://example.com/a/%2e/b/%2E%2e/c", "http://example.com/a/c"),
            ("http://example.com/../..", "http://example.com/"),
            ("http://example.com/a/b/..", "http://example.com/a/"),
            ("http://example.com/a//b/../", "http://example.com/a//"),
            ("http://example.com//a", "http://example.com//a"),
            ("http://example.com/...", "http://example.com/..."),
            ("http://example.com/?a=/../b", "http://example.com/?a=/../b"),
            ("http://127.1/", "http://127.0.0.1/"),
            ("http://0x7f.0.0.1/", "http://127.0.0.1/"),
            ("http://2130706433/", "http://127.0.0.1/"),
            ("http://0177.0.0.01/", "http://127.0.0.1/"),
            ("http://[::1]:8080/x", "http://[::1]:8080/x"),
            ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"),
            ("http://[2001:DB8:0:0:1:0:0:1]/", "http://[2001:db8::1:0:0:1]/"),
            ("http://[::ffff:127.0.0.1]/", "http://[::ffff:127.0.0.1]/"),
            ("http://[1:2:3:4:5:6:7:8]/", "http://[1:2:3:4:5:6:7:8]/"),
            ("http://[::]/", "http://[::]/"),
            ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"),
            ("http://example.com./", "http://example.com./"),
        ])
    func normalises(text: String, expected: String) throws {
        let url = try HTTPURL(text)
        #expect(url.string == expected)
        #expect(try HTTPURL(url.string) == url)
    }

    @Test(
        "rejects invalid URLs with a reason",
        arguments: [
            ("", HTTPURLError.notAbsolute),
            ("/path", .notAbsolute),
            ("//example.com/", .notAbsolute),
            ("example.com", .notAbsolute),
            ("ftp://example.com/", .unsupportedScheme("ftp")),
            ("mailto:a@b", .unsupportedScheme("mailto")),
            ("FILE:///etc/passwd", .unsupportedScheme("file")),
            ("http:", .noHost),
            ("http:/example.com/", .noHost),
            ("http:example.com", .noHost),
            ("http:///path", .noHost),
            ("http://:80/", .noHost),
            ("http://?x", .noHost),
            ("http://user@example.com/", .userInformation),
            ("http://user:password@example.com/", .userInformation),
            ("http://@example.com/", .userInformation),
            ("http://evil\\@example.com/", .userInformation),
            ("http://example.com/\u{0}", .controlCharacter),
            ("http://example.com/\r\nX: y", .controlCharacter),
            ("http://exa\tmple.com/", .controlCharacter),
            ("http://example.com/\u{7F}", .controlCharacter),
            ("http://exa mple.com/", .badHost),
            ("http://example.com\\evil/", .badHost),
            ("http://exa%6Dple.com/", .badHost),
            ("http://a,b/", .badHost),
            ("http://./", .badHost),
            ("http://bücher.example/", .hostNotASCII),
            ("http://127。0。0。1/", .hostNotASCII),
            ("http://256.1.1.1/", .badIPv4),
            ("http://1.2.3.4.5/", .badIPv4),
            ("http://1.2.3.4./", .badIPv4),
            ("http://4294967296/", .badIPv4),
            ("http://0x/", .badIPv4),
            ("http://09/", .badIPv4),
            ("http://a.1/", .badIPv4),
            ("http://[::1/", .badIPv6),
            ("http://[]/", .badIPv6),
            ("http://[:::]/", .badIPv6),
            ("http://[1::2::3]/", .badIPv6),
            ("http://[1:2:3:4:5:6:7:8:9]/", .badIPv6),
            ("http://[1:2:3:4:5:6:7::8]/", .badIPv6),
            ("http://[12345::]/", .badIPv6),
            ("http://[::1.2.3]/", .badIPv6),
            ("http://[1.2.3.4::]/", .badIPv6),
            ("http://[fe80::1%25eth0]/", .badIPv6),
            ("http://[::1]x/", .badHost),
            ("http://example.com:0/", .badPort),
            ("http://example.com:65536/", .badPort),
            ("http://example.com:8o/", .badPort),
            ("http://example.com:-1/", .badPort),
            ("http://example.com:80:80/", .badPort),
        ])
    func refuses(text: String, reason: HTTPURLError) {
        #expect(throws: reason) { try HTTPURL(text) }
    }

    @Test("rejects a text above the maximum length, and accepts one of that length")
    func length() throws {
        let prefix = "http://example.com/"
        let longest = prefix + String(repeating: "a", count: HTTPURL.maxBytes - prefix.utf8.count)
        #expect(try HTTPURL(longest).string == longest)
        #expect(throws: HTTPURLError.tooLong) { try HTTPURL(longest + "a") }
    }

    @Test("has its components")
    func parts() throws {
        let url = try HTTPURL("https://example.com:8443/a/b?c=d")
        #expect(url.scheme == .https)
        #expect(url.host == "example.com")
        #expect(url.port == 8443)
        #expect(url.path == "/a/b")
        #expect(url.query == "c=d")
        #expect(url.target == "/a/b?c=d")
        #expect("\(url.origin)" == "https://example.com:8443")
        #expect(try HTTPURL("http://example.com/").port == 80)
        #expect(try HTTPURL("http://example.com/").query == nil)
        #expect(try HTTPURL("http://example.com/?").query == "")
    }

    @Test("an error quotes nothing of the text and becomes a transfer's error")
    func errors() {
        #expect(HTTPURLError.unsupportedScheme("ftp").transferError.code == .unsupportedURL)
        #expect(HTTPURLError.userInformation.transferError.code == .badURL)
        #expect(!HTTPURLError.userInformation.description.contains("@"))
    }
}
