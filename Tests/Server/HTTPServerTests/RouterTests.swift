import ErrandHTTPServer
import HTTPTypes
import Testing

@Suite("Router")
struct RouterTests {
    /// Returns a route that responds with its pattern and the named parameters.
    private static func route(_ method: HTTPRequest.Method?, _ pattern: String, _ names: String...) -> Route {
        Route(method, pattern) { _, parameters in
            let values = names.map { parameters[$0] ?? "nil" }
            return .immediate(
                ServerResponse(status: .ok, body: .bytes(Array(([pattern] + values).joined(separator: " ").utf8))))
        }
    }

    private let router: Router

    init() throws {
        router = try Router(routes: [
            Self.route(.get, "/"),
            Self.route(.get, "/v1/tasks"),
            Self.route(.post, "/v1/tasks"),
            Self.route(.post, "/v1/tasks:batch"),
            Self.route(.get, "/v1/tasks/{id}", "id"),
            Self.route(.delete, "/v1/tasks/{id}", "id"),
            Self.route(.get, "/v1/tasks/{task}/body", "task"),
            Self.route(.get, "/v1/tasks/count"),
            Self.route(.get, "/v1/{any}/{thing}/tail", "any", "thing"),
            Self.route(nil, "/anything"),
            Self.route(nil, "/anything/{rest...}", "rest"),
            Self.route(.head, "/own-head"),
            Self.route(.options, "/own-options"),
        ])
    }

    private func response(_ method: HTTPRequest.Method, _ target: String) throws -> ServerResponse {
        let head = RequestHead(method: method, target: try RequestTarget(target))
        guard case .immediate(let response) = router.admit(head) else {
            Issue.record("not answered at once")
            return ServerResponse(status: .internalServerError)
        }
        return response
    }

    @Test(
        "a router returns the pattern of the request's route, and none for a request without a route",
        arguments: [
            ("GET", "/v1/tasks/7", "/v1/tasks/{id}"), ("HEAD", "/v1/tasks/7", "/v1/tasks/{id}"),
            ("PUT", "/anything/a/b", "/anything/{rest...}"), ("PUT", "/v1/tasks/7", nil), ("GET", "/nowhere", nil),
            ("OPTIONS", "/v1/tasks", nil),
        ] as [(String, String, String?)])
    func pattern(method: String, target: String, pattern: String?) throws {
        let head = RequestHead(
            method: try #require(HTTPRequest.Method(rawValue: method)), target: try RequestTarget(target))
        var route: String?
        _ = router.admit(head, route: &route)
        #expect(route == pattern)
    }

    private func text(_ response: ServerResponse) -> String {
        if case .bytes(let bytes) = response.body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    @Test(
        "a request finds its route and its decoded parameters",
        arguments: [
            ("GET", "/", "/"),
            ("GET", "/v1/tasks", "/v1/tasks"),
            ("POST", "/v1/tasks", "/v1/tasks"),
            ("POST", "/v1/tasks:batch", "/v1/tasks:batch"),
            ("POST", "/v1/tasks%3Abatch", "/v1/tasks:batch"),
            ("GET", "/v1/tasks/7", "/v1/tasks/{id} 7"),
            ("GET", "/v1/tasks/a%2Fb?x=1", "/v1/tasks/{id} a/b"),
            ("GET", "/v1/tasks/..", "/v1/tasks/{id} .."),
            ("DELETE", "/v1/tasks/7", "/v1/tasks/{id} 7"),
            ("GET", "/v1/tasks/7/body", "/v1/tasks/{task}/body 7"),
            ("GET", "/v1/tasks/count", "/v1/tasks/count"),
            ("GET", "/v1/tasks/count/body", "/v1/tasks/{task}/body count"),
            ("GET", "/v1/tasks/7/tail", "/v1/{any}/{thing}/tail tasks 7"),
            ("PATCH", "/anything", "/anything"),
            ("GET", "/anything/a/b%2Fc//d", "/anything/{rest...} a/b/c//d"),
            ("HEAD", "/v1/tasks/7", "/v1/tasks/{id} 7"),
            ("HEAD", "/own-head", "/own-head"),
            ("OPTIONS", "/own-options", "/own-options"),
            ("OPTIONS", "/anything", "/anything"),
        ])
    func finds(method: String, target: String, expected: String) throws {
        let response = try response(#require(HTTPRequest.Method(rawValue: method)), target)
        #expect(text(response) == expected)
    }

    @Test(
        "an unknown path is a 404 with problem details",
        arguments: [
            "/v2", "/v1/tasks/", "/v1/tasks/7/", "/v1//tasks", "/V1/tasks", "/v1/tasks/7/other", "//", "/v1",
        ])
    func unknownPath(target: String) throws {
        let response = try response(.get, target)
        #expect(response.status == .notFound)
        #expect(response.headers[.contentType] == "application/problem+json")
        #expect(text(response).contains(#""type":"/problems/not-found""#))
    }

    @Test(
        "a known path with another method is a 405 with the allowed methods",
        arguments: [
            ("PUT", "/v1/tasks", "GET, HEAD, OPTIONS, POST"),
            ("PATCH", "/v1/tasks/7", "DELETE, GET, HEAD, OPTIONS"),
            ("GET", "/v1/tasks:batch", "OPTIONS, POST"),
            ("HEAD", "/v1/tasks:batch", "OPTIONS, POST"),
            ("get", "/v1/tasks", "GET, HEAD, OPTIONS, POST"),
        ])
    func methodNotAllowed(method: String, target: String, allow: String) throws {
        let response = try response(#require(HTTPRequest.Method(rawValue: method)), target)
        #expect(response.status == .methodNotAllowed)
        #expect(response.headers[.allow] == allow)
    }

    @Test("the response to OPTIONS has the allowed methods")
    func options() throws {
        let response = try response(.options, "/v1/tasks/7")
        #expect(response.status == .noContent)
        #expect(response.headers[.allow] == "DELETE, GET, HEAD, OPTIONS")
        #expect(try self.response(.options, "*").status == .noContent)
        #expect(try self.response(.options, "/nothing").status == .notFound)
    }

    @Test(
        "malformed and repeated patterns are errors",
        arguments: [
            ("v1", RouteError.Code.notAbsolute),
            ("/{id", .malformedParameter),
            ("/a{id}", .malformedParameter),
            ("/{}", .malformedParameter),
            ("/{...}", .malformedParameter),
            ("/{rest...}/a", .malformedParameter),
            ("/{a}/{a}", .repeatedParameter),
            ("/v1/{other}", .duplicate),
        ])
    func errors(pattern: String, code: RouteError.Code) {
        let error = #expect(throws: RouteError.self) {
            _ = try Router(routes: [Self.route(.get, "/v1/{id}"), Self.route(.get, pattern)])
        }
        #expect(error?.code == code)
        #expect(error?.pattern == pattern)
    }

    @Test(
        "the response to a request without a route can be replaced, and is told the routes with its path",
        arguments: [
            ("GET", "/b", "unknown"), ("PUT", "/a/7", "not allowed: DELETE, GET, HEAD, OPTIONS: /a/{id} /a/{x}"),
            ("OPTIONS", "/a/7", "options: DELETE, GET, HEAD, OPTIONS: /a/{id} /a/{x}"),
            ("OPTIONS", "*", "options: GET, HEAD, OPTIONS: "),
        ])
    func ownMiss(method: String, target: String, expected: String) throws {
        let router = try Router(routes: [Self.route(.get, "/a/{id}"), Self.route(.delete, "/a/{x}")]) { _, miss in
            func text(_ routes: Router.Miss.Alternatives) -> String {
                "\(routes.allow): \(routes.patterns.sorted().joined(separator: " "))"
            }
            let found =
                switch miss {
                case .unknownPath: "unknown"
                case .methodNotAllowed(let routes): "not allowed: \(text(routes))"
                case .options(let routes): "options: \(text(routes))"
                }
            return .immediate(ServerResponse(status: .ok, body: .bytes(Array(found.utf8))))
        }
        let head = RequestHead(
            method: try #require(HTTPRequest.Method(rawValue: method)), target: try RequestTarget(target))
        guard case .immediate(let response) = router.admit(head) else {
            Issue.record("not answered")
            return
        }
        #expect(text(response) == expected)
    }

    @Test("the default response is that of the routes that a program names")
    func defaultAnswer() throws {
        let routes = Router.Miss.Alternatives(allow: "GET, HEAD", patterns: ["/a"])
        let head = RequestHead(method: .put, target: try RequestTarget("/a"))
        for (miss, status) in [(.methodNotAllowed(routes), 405), (.options(routes), 204)] as [(Router.Miss, Int)] {
            guard case .immediate(let response) = Router.answer(head, miss) else {
                Issue.record("not answered")
                return
            }
            #expect(response.status.code == status)
            #expect(response.headers[.allow] == "GET, HEAD")
        }
    }
}
