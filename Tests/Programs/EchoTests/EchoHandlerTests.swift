import ErrandHTTPServer
import HTTPTypes
import Testing

@testable import ErrandEcho

@Suite("The sample upstream")
struct EchoHandlerTests {
    @Test("lists its endpoints at /, each by its pattern")
    func index() async throws {
        let response = try await EchoClient().ask("/")
        #expect(response.status == 200)
        #expect(response.headers[.contentType] == "application/json")
        for pattern in [
            "/anything", "/headers", "/status/{code}", "/redirect/{hops}", "/basic-auth/{user}/{password}",
            "/delay/{seconds}", "/drip", "/bytes/{count}", "/range/{count}", "/stream/{lines}", "/gzip", "/upload",
        ] {
            #expect(response.text.contains("\"\(pattern)\":\""))
        }
    }

    @Test("refuses other paths, and lists the methods of a path")
    func misses() async throws {
        let client = try EchoClient()
        #expect(try await client.ask("/bytes").status == 404)
        #expect(try await client.ask("/nothing").status == 404)
        let refused = try await client.ask(.post, "/bytes/1")
        #expect(refused.status == 405)
        #expect(refused.headers[.allow] == "GET, HEAD, OPTIONS")
    }

    @Test(
        "answers an invalid argument with a 400 and the expectation",
        arguments: [
            ("/status/abc", "code: expected a whole number from 200 to 599, found \"abc\""),
            ("/status/199", "code: expected a whole number from 200 to 599, found \"199\""),
            ("/status/600", "code: expected a whole number from 200 to 599, found \"600\""),
            ("/status/+200", "code: expected a whole number from 200 to 599, found \"+200\""),
            ("/bytes/-1", "count: expected a whole number from 0 to 1099511627776, found \"-1\""),
            ("/bytes/99999999999999999999", "count: expected a whole number from 0 to 1099511627776"),
            ("/range/x", "count: expected a whole number"),
            ("/stream/1000001", "lines: expected a whole number from 0 to 1000000, found \"1000001\""),
            ("/delay/soon", "seconds: expected seconds from 0 to 3600, such as 0.25, found \"soon\""),
            ("/delay/3600.1", "seconds: expected seconds from 0 to 3600"),
            ("/delay/1.", "seconds: expected seconds"),
            ("/delay/.5", "seconds: expected seconds"),
            ("/delay/0.1234567891", "seconds: expected seconds"),
            ("/delay/9223372036854775807", "seconds: expected seconds"),
            ("/redirect/0", "hops: expected a whole number from 1 to 100, found \"0\""),
            ("/redirect/2?status=304", "status: expected 301, 302, 303, 307 or 308, found \"304\""),
            ("/drip?bytes=all", "bytes: expected a whole number"),
            ("/drip?duration=1m", "duration: expected seconds"),
            ("/drip?delay=-1", "delay: expected seconds"),
        ])
    func badArguments(target: String, detail: String) async throws {
        let response = try await EchoClient().ask(target)
        #expect(response.status == 400)
        #expect(response.headers[.contentType] == "application/problem+json")
        let escaped = detail.replacing("\"", with: "\\\"")
        #expect(response.text.contains("\"detail\":\"\(escaped)"), "\(response.text)")
    }

    @Test("reads unused content before it answers, and answers at once without content")
    func unwantedContent() throws {
        let client = try EchoClient()
        guard case .immediate = try client.disposition(.post, "/status/200", headers: [.contentLength: "0"]) else {
            Issue.record("an empty request was not answered at once")
            return
        }
        for headers: HTTPFields in [[.contentLength: "5"], [.transferEncoding: "chunked"]] {
            guard case .deferred = try client.disposition(.post, "/status/200", headers: headers) else {
                Issue.record("the content of a request was not read")
                return
            }
        }
    }
}

extension EchoClient {
    /// Returns the response to a GET.
    func ask(_ target: String) async throws -> Response {
        try await ask(.get, target)
    }
}
