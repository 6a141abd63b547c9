import ErrandAuthentication
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("AWSCanonicalRequest")
struct AWSCanonicalRequestTests {
    typealias PathRule = AWSCanonicalRequest.PathRule

    @Test("The canonical request of the suite's get-header-value-trim is the published one")
    func published() throws {
        let headers = try AWSSignature4Tests.fields([
            ("My-Header1", " value1"), ("My-Header2", " \"a   b   c\""), ("X-Amz-Date", "20150830T123600Z"),
        ])
        let request = AWSCanonicalRequest(
            method: .get, url: try HTTPURL("https://example.amazonaws.com/"), headers: headers,
            payload: AWSPayload([]), path: .normalized)
        #expect(
            request.text == """
                GET
                /

                host:example.amazonaws.com
                my-header1:value1
                my-header2:"a b c"
                x-amz-date:20150830T123600Z

                host;my-header1;my-header2;x-amz-date
                e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
                """)
        #expect(request.digest == "a726db9b0df21c14f559d0a978e563112acb1b9e05476f0a6a1c7d68f28605c7")
    }

    @Test(
        "Paths are normalized and escaped once more for all services except S3",
        arguments: [
            ("/", "/"), ("//", "/"), ("//example//", "/example/"), ("/a/b", "/a/b"),
            // The suite's get-utf8 and get-space, which sign a path that is sent without escapes.
            ("/ሴ", "/%E1%88%B4"), ("/example space/", "/example%20space/"),
            // Paths that are sent with escapes.
            ("/%E1%88%B4", "/%25E1%2588%25B4"), ("/a%20b:c", "/a%2520b%3Ac"),
            ("/-._~09AZaz", "/-._~09AZaz"),
        ])
    func normalized(path: String, canonical: String) {
        #expect(PathRule.normalized.canonical(path) == canonical)
    }

    @Test(
        "An object key is escaped once and keeps its slashes",
        arguments: [
            ("/", "/"), ("//a//", "//a//"), ("/test$file.text", "/test%24file.text"), ("/a%20b", "/a%20b"),
            ("/a+b", "/a%2Bb"), ("/%e1%88%b4", "/%E1%88%B4"), ("/%41%2F", "/A/"), ("/100%", "/100%25"),
        ])
    func objectKeys(path: String, canonical: String) {
        #expect(PathRule.objectKey.canonical(path) == canonical)
    }

    @Test(
        "Queries are split, escaped uniformly and sorted by their escaped bytes",
        arguments: [
            ("", ""), ("a", "a="), ("a=", "a="), ("&&a&", "a="), ("b=1&a=2", "a=2&b=1"), ("a=2&a=1", "a=1&a=2"),
            ("a=b=c", "a=b%3Dc"), ("a=x+y", "a=x%20y"), ("a=%2b", "a=%2B"), ("a=%7e", "a=~"), ("A=1&a=1", "A=1&a=1"),
            ("Param-3=Value3&Param=Value2&%E1%88%B4=Value1", "%E1%88%B4=Value1&Param=Value2&Param-3=Value3"),
            ("a-b=1&a=2", "a=2&a-b=1"), ("a=%zz%4", "a=%25zz%254"), ("a=%+1", "a=%25%201"),
        ])
    func queries(query: String, canonical: String) {
        #expect(AWSCanonicalRequest.canonicalQuery(query) == canonical)
    }

    @Test("Fields that the transport or a proxy may change are not signed")
    func unsigned() throws {
        let headers = try AWSSignature4Tests.fields([
            ("Accept-Encoding", "gzip"), ("Authorization", "x"), ("Connection", "close"), ("Content-Length", "3"),
            ("Expect", "100-continue"), ("TE", "trailers"), ("Transfer-Encoding", "chunked"), ("User-Agent", "errand"),
            ("Via", "1.1 proxy"), ("X-Amzn-Trace-Id", "Root=1"), ("Upgrade", "x"), ("Trailer", "y"),
            ("Accept", "*/*"), ("Content-Type", "text/plain"),
        ])
        let request = AWSCanonicalRequest(
            method: .get, url: try HTTPURL("http://e.com:8080/"), headers: headers, payload: .unsigned,
            path: .normalized)
        #expect(request.signedHeaders == "accept;content-type;host")
        #expect(request.text.contains("\nhost:e.com:8080\n"))
        #expect(request.text.hasSuffix("\nUNSIGNED-PAYLOAD"))
    }
}
