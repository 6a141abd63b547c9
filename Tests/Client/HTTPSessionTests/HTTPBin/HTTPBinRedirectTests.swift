import ErrandSupport
import HTTPSession
import Testing

@Suite("Redirects of httpbin", .timeLimit(.hang))
struct HTTPBinRedirectTests {
    @Test(
        "are followed, to absolute and relative targets",
        arguments: ["redirect", "relative-redirect", "absolute-redirect"])
    func followed(path: String) async throws {
        let api = try await HTTPBin.session()
        let response = try await api.data(for: TaskRequest(path: "\(path)/3"))
        #expect(response.redirects == 3)
        #expect(response.url.path == "/get")
        #expect(try response.decoded(as: EchoedRequest.self).url.hasSuffix("/get"))
    }

    @Test("are followed up to the limit")
    func limit() async throws {
        let api = try await HTTPBin.session { $0.redirects.limit = 4 }
        #expect(try await api.data(for: TaskRequest(path: "redirect/4")).redirects == 4)
        let outcome = try await api.outcome(of: TaskRequest(path: "redirect/5"))
        #expect(outcome.error?.code == .tooManyRedirects)
        #expect(outcome.response?.head.status == 302)
        #expect(outcome.response?.redirects == 4)
        let byDefault = try await HTTPBin.session()
        #expect(try await byDefault.data(for: TaskRequest(path: "redirect/16")).redirects == 16)
        #expect(try await byDefault.outcome(of: TaskRequest(path: "redirect/17")).error?.code == .tooManyRedirects)
    }

    struct Rule: Sendable, CustomTestStringConvertible {
        var status: Int
        var method: String
        var becomes: String
        var keepsMethod = false

        /// The content is sent again.
        var keepsContent: Bool { method == becomes }
        var testDescription: String { "\(method), \(status)\(keepsMethod ? ", as configured" : ""): \(becomes)" }
    }

    @Test(
        "change the method by the standard, or by the session's policy",
        arguments: [
            Rule(status: 301, method: "POST", becomes: "GET"),
            Rule(status: 302, method: "POST", becomes: "GET"),
            Rule(status: 301, method: "POST", becomes: "POST", keepsMethod: true),
            Rule(status: 302, method: "POST", becomes: "POST", keepsMethod: true),
            Rule(status: 303, method: "POST", becomes: "GET", keepsMethod: true),
            Rule(status: 301, method: "PUT", becomes: "PUT"),
            Rule(status: 302, method: "PATCH", becomes: "PATCH"),
            Rule(status: 303, method: "PUT", becomes: "GET"),
            Rule(status: 303, method: "DELETE", becomes: "GET"),
            Rule(status: 307, method: "POST", becomes: "POST"),
            Rule(status: 307, method: "DELETE", becomes: "DELETE"),
            Rule(status: 308, method: "POST", becomes: "POST"),
            Rule(status: 308, method: "PUT", becomes: "PUT"),
        ])
    func methods(rule: Rule) async throws {
        let api = try await HTTPBin.session { $0.redirects.keepsMethodOn301And302 = rule.keepsMethod }
        let request = try await api.echo(
            of: TaskRequest(
                method: rule.method, path: "redirect-to?url=/anything/there&status_code=\(rule.status)",
                body: .json(json(#"{"n":1.10}"#))))
        #expect(request.method == rule.becomes)
        #expect(request.url.hasSuffix("/anything/there"))
        #expect(request.data == (rule.keepsContent ? #"{"n":1.10}"# : ""))
        #expect(request.headers["Content-Type"] == (rule.keepsContent ? "application/json" : nil))
    }

    @Test("keep HEAD after a 303")
    func head() async throws {
        let api = try await HTTPBin.session { $0.response.serializer = .raw }
        let response = try await api.data(
            for: TaskRequest(method: "HEAD", path: "redirect-to?url=/get&status_code=303"))
        #expect(response.redirects == 1)
        #expect(response.url.path == "/get")
        #expect(response.body?.size == 0)
    }

    @Test("are the response if the session does not follow them, and a success if their status is acceptable")
    func refused() async throws {
        let api = try await HTTPBin.session {
            $0.redirects.mode = .refuse
            $0.response.serializer = .raw
        }
        let outcome = try await api.outcome(of: TaskRequest(path: "redirect/1"))
        #expect(outcome.error?.code == .redirectRefused)
        #expect(outcome.response?.head.status == 302)
        let taking = try await HTTPBin.session {
            $0.redirects.mode = .refuse
            $0.response.serializer = .raw
            $0.response.acceptableStatuses = StatusSet([302...302])
        }
        let response = try await taking.data(for: TaskRequest(path: "redirect/1"))
        #expect(response.head.headers[.location] == "/get")
        #expect(response.redirects == 0)
    }

    @Test("are followed only within the origin if so configured")
    func sameOrigin() async throws {
        let server = try await HTTPBin.shared()
        let api = try await HTTPBin.session { $0.redirects.mode = .sameOrigin }
        let own = try await api.data(for: TaskRequest(path: "redirect-to?url=\(server.origin)/get"))
        #expect(own.redirects == 1)
        let outcome = try await api.outcome(of: TaskRequest(path: "redirect-to?url=\(server.otherOrigin)/get"))
        #expect(outcome.error?.code == .redirectRefused)
        #expect(outcome.response?.head.status == 302)
    }

    @Test("to another origin carry neither credentials nor header fields nor cookies of the session")
    func otherOrigin() async throws {
        let server = try await HTTPBin.shared()
        let name = try #require(HTTPField.Name("X-Session"))
        let api = try await HTTPBin.session {
            $0.credentials = .bearer(token: "hush")
            $0.headers[name] = "own"
            $0.egress.privateNetworks = .allow
        }
        _ = try await api.data(for: TaskRequest(path: "cookies/set?a=1"))
        let own = try await api.echo(of: TaskRequest(path: "redirect-to?url=/anything"))
        #expect(own.headers["Authorization"] == "Bearer hush")
        #expect(own.headers["X-Session"] == "own")
        #expect(own.headers["Cookie"] == "a=1")
        let foreign = try await api.echo(
            of: TaskRequest(
                path: "redirect-to?url=\(server.otherOrigin)/anything", headers: [TaskHeader("X-Task", "1")]))
        #expect(foreign.url == "\(server.otherOrigin)/anything")
        #expect(foreign.headers["Authorization"] == nil)
        #expect(foreign.headers["X-Session"] == nil)
        #expect(foreign.headers["Cookie"] == nil)
        #expect(foreign.headers["X-Task"] == "1")
    }

    @Test(
        "to invalid targets are errors, with the redirect as the response",
        arguments: [
            ("ftp://127.0.0.1/a", .unsupportedURL), ("http:///no-host", .badURL),
            ("file:///etc/passwd", .unsupportedURL),
        ]
            as [(String, SessionErrorCode)])
    func nowhere(target: String, code: SessionErrorCode) async throws {
        let api = try await HTTPBin.session()
        let outcome = try await api.outcome(
            of: TaskRequest(path: "redirect-to", parameters: json(#"{"url":"\#(target)"}"#)))
        #expect(outcome.error?.code == code)
        #expect(outcome.response?.head.status == 302)
    }
}
