import CErrandCurl
import ErrandTransfer
import Testing

/// Checks that libcurl parses the URLs that ``HTTPURL`` writes in the same way, so that the checked host is contacted.
@Suite("HTTPURL and libcurl parse URLs alike")
struct URLAgreementTests {
    /// The parts of a URL as parsed by libcurl.
    private struct Reading: Equatable {
        var scheme: String?
        var host: String?
        var port: String?
        var path: String?
        var query: String?
        var user: String?

        init?(_ text: String, flags: Int32) {
            guard let url = curl_url() else { return nil }
            defer { curl_url_cleanup(url) }
            guard curl_url_set(url, CURLUPART_URL, text, UInt32(flags)) == CURLUE_OK else { return nil }
            func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
                var value: UnsafeMutablePointer<CChar>?
                guard curl_url_get(url, part, &value, UInt32(flags)) == CURLUE_OK, let value else { return nil }
                defer { curl_free(value) }
                return String(cString: value)
            }
            scheme = part(CURLUPART_SCHEME)
            host = part(CURLUPART_HOST)
            port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT)
            path = part(CURLUPART_PATH)
            query = part(CURLUPART_QUERY)
            user = part(CURLUPART_USER)
        }
    }

    private static let hosts = [
        "example.com", "EXAMPLE.com", "example.com.", "a", "a-b.c_d", "xn--bcher-kva.example", "127.0.0.1", "127.1",
        "0x7f.1", "0x7F000001", "2130706433", "0177.0.0.01", "10.0x10.010", "0", "0.0.0.0", "255.255.255.255",
        "1.2.3.4a", "1a", "0x7g", "a.0x1g", "[::1]", "[::]", "[2001:DB8::1]", "[2001:db8:0:0:1:0:0:1]",
        "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[1:2:3:4:5:6:7:8]", "[0:0:0:0:0:0:0:1]", "[fe80::]", "[1::]",
        "[64:ff9b::7f00:1]", "a~b", "1.2.3.4.example",
    ]
    private static let tails = [
        "", "/", ":80/", ":8080/a", ":/", ":00443/", "?x", "/?", "/?a=b&c", "#f", "/a#f?g", "/a/./b/../c",
        "/a/%2e%2E/b", "/..", "//a//b", "/a b", "/é?ü", "/a\\b", "/%zz%", "/a;b=c/d,e", "/a?b?c/../d", "/?[]{}|^`\"<>",
        "/:@!$&'()*+,;=", "/a%2Fb%5c",
    ]

    @Test("for hosts, ports, paths and queries", arguments: hosts)
    func agreement(host: String) throws {
        for (scheme, tail) in ["http", "HTTPS"].flatMap({ scheme in Self.tails.map { (scheme, $0) } }) {
            let url = try HTTPURL("\(scheme)://\(host)\(tail)")
            let reading = try #require(
                Reading(url.string, flags: CURLU_PATH_AS_IS | CURLU_DISALLOW_USER), "libcurl refuses \(url)")
            #expect(reading.scheme == url.scheme.rawValue)
            #expect(reading.host == url.host)
            #expect(reading.port == "\(url.port)")
            #expect(reading.path == url.path)
            #expect(reading.query ?? "" == url.query ?? "")
            #expect(reading.user == nil)
            // By default, libcurl would not have removed more.
            #expect(Reading(url.string, flags: 0)?.path == url.path)
        }
    }

    @Test(
        "for the host, even in confusing text",
        arguments: [
            "http://a@b", "http://a:b@c/", "http://a\\@b/", "http://a/@b", "http://a?@b", "http://a#@b",
            "http://a%40b/",
            "http://a%2eb/", "http://%31%32%37.0.0.1/", "http://[::1]@b/", "http://a b/", "http://a\tb/", "http:/a",
            "http:a",
            "http:///a", "http://a:b/", "http://a:99999/", "http://a:0/", "http://a:1:2/", "http://1.2.3.4.5/",
            "http://256.0.0.1/", "http://1.2.3.4./", "http://08.1/", "http://[::1%25lo]/", "http://[v1.x]/",
            "http://[::1",
            "http://①②⑦.0.0.1/", "http://127。0。0。1/", "http://loc\u{AD}alhost/", "http://a,b/", "http://a;b/",
            "ftp://a/",
            "file:///etc/passwd", "http://a\r\nb/", "http://a/\r\nb", "http://a/\u{0}b", "http://.", "http://..",
            "http://a..b/",
            "//a", "/a", "a", "", ":", "http", "http:", "http:/", "http://", "http://?", "http://#", "http:// a/",
            " http://a/",
        ])
    func confusion(text: String) {
        // libcurl parses accepted text in the same way; refused text is never used.
        guard let url = try? HTTPURL(text) else { return }
        let reading = Reading(text, flags: CURLU_URLENCODE)
        #expect(reading?.host == url.host)
        #expect(reading?.port == "\(url.port)")
    }
}
