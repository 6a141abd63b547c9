import ErrandHTTPServer
import ErrandSupport
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("BrowserRules")
struct BrowserRulesTests {
    private let rules = BrowserRules(
        inner: OpenHandler(), corsOrigins: ["https://console.example"], hosts: HostNames([]),
        audit: AuditLog(DispatcherFixture.logger))

    private func status(_ lines: String..., method: HTTPRequest.Method = .get) throws -> Int? {
        var head = try RequestHead.sample(method)
        for line in lines { head.headers.append(contentsOf: try RequestHead.sample(method, "/", line).headers) }
        return rules.immediateResponse(to: head)?.status.code
    }

    @Test("accept requests without Origin and with a local host name")
    func noPage() throws {
        #expect(try status("Host: localhost") == 200)
        #expect(try status("Host: 127.0.0.1:8080", "Sec-Fetch-Site: same-origin") == 200)
        #expect(try status("Host: 127.0.0.1:8080", "Sec-Fetch-Site: none") == 200)
    }

    @Test("refuse requests for another host (DNS rebinding)")
    func otherHost() throws {
        #expect(try status("Host: evil.example") == 421)
        #expect(try status() == 421)
    }

    @Test("ignore the host if there are no names to compare it with")
    func anyHost() throws {
        let open = BrowserRules(
            inner: OpenHandler(), corsOrigins: [], hosts: nil, audit: AuditLog(DispatcherFixture.logger))
        #expect(open.immediateResponse(to: try .sample(.get, "/", "Host: gateway.example"))?.status.code == 200)
    }

    @Test(
        "refuse pages of other origins",
        arguments: [
            "http://evil.example", "null", "http://localhost:8080.evil.example", "http://localhost", "file://",
            "https://CONSOLE.example", "https://console.example:444", "ftp://localhost:8080",
        ])
    func otherOrigin(origin: String) throws {
        #expect(try status("Host: localhost:8080", "Origin: \(origin)") == 403)
    }

    @Test("refuse requests that a browser marks as cross-site, even without Origin")
    func crossSite() throws {
        #expect(try status("Host: localhost", "Sec-Fetch-Site: cross-site") == 403)
        #expect(try status("Host: localhost:1", "Origin: http://localhost:1", "Sec-Fetch-Site: cross-site") == 403)
    }

    @Test("accept pages of the gateway itself, without CORS header fields")
    func ownOrigin() throws {
        let head = try RequestHead.sample(.get, "/", "Host: LocalHost:8080", "Origin: http://localhost:8080")
        let response = rules.immediateResponse(to: head)
        #expect(response?.status == .ok)
        #expect(response?.headers[.corsAllowOrigin] == nil)
    }

    @Test("allow exactly the configured origin to read the response")
    func configuredOrigin() throws {
        let head = try RequestHead.sample(.get, "/", "Host: localhost", "Origin: https://console.example")
        let response = rules.immediateResponse(to: head)
        #expect(response?.status == .ok)
        #expect(response?.headers[.corsAllowOrigin] == "https://console.example")
        #expect(response?.headers[values: .vary].contains("Origin") == true)
        let exposed = response?.headers[.corsExposeHeaders]?.split(separator: ", ") ?? []
        #expect(
            Set(["RateLimit", "RateLimit-Policy", "Retry-After", "WWW-Authenticate"]).isSubset(
                of: exposed.map(String.init)))
    }

    @Test("log refused requests")
    func audit() throws {
        let log = RecordedLog()
        let rules = BrowserRules(
            inner: OpenHandler(), corsOrigins: [], hosts: HostNames([]), audit: AuditLog(log.logger))
        _ = rules.admit(try .sample(.get, "/v1/tasks?secret=1", "Host: evil.example"))
        _ = rules.admit(try .sample(.post, "/v1/tasks", "Host: localhost", "Origin: http://evil.example"))
        #expect(log.lines.map(\.message) == ["Audit: request refused", "Audit: request refused"])
        #expect(log.lines.map { $0["status"] } == ["421", "403"])
        #expect(log.lines.map { $0["path"] } == ["/v1/tasks", "/v1/tasks"])
    }

    @Test("answer a preflight themselves, and pass on other OPTIONS requests")
    func preflight() throws {
        let closed = BrowserRules(
            inner: ClosedHandler(), corsOrigins: ["https://console.example"], hosts: nil,
            audit: AuditLog(DispatcherFixture.logger))
        let preflight = try RequestHead.sample(
            .options, "/v1/tasks", "Origin: https://console.example", "Access-Control-Request-Method: POST")
        #expect(closed.immediateResponse(to: preflight)?.status.code == 204)
        let plain = try RequestHead.sample(.options, "/v1/tasks", "Origin: https://console.example")
        #expect(closed.immediateResponse(to: plain)?.status.code == 401)
    }
}

/// A handler that refuses every request.
private struct ClosedHandler: HTTPHandler {
    func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition {
        .immediate(ServerResponse(status: .unauthorized))
    }
}
