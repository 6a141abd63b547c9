import ErrandHTTPServer
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport

@Suite("RouteHints")
struct RouteHintsTests {
    private let hints = RouteHints(
        [
            (.get, "/healthz"), (.post, "/v1/tasks"), (.get, "/v1/tasks"), (.get, "/v1/tasks/counts"),
            (.get, "/v1/tasks/{id}"), (.delete, "/v1/tasks/{id}"), (.get, "/v1/tasks/{id}/body"),
            (.post, "/v1/tasks/{id}/suspend"), (.post, "/v1/tasks:batch"), (.post, "/v1/tasks:cancel"),
            (.post, "/v1/config:reload"), (.put, "/v1/schedules/{name}"),
        ].map { (method: HTTPRequest.Method, pattern: String) in
            APIRoute(method, pattern, needs: .token) { .immediate($0.head.noSuchTask()) }
        })

    @Test(
        "The closest route is suggested, with the method of the request if there is one",
        arguments: [
            ("POST", "/v1/config/reload", "POST /v1/config:reload"),
            ("GET", "/v1/config/reload", "POST /v1/config:reload"), ("GET", "/v1/task", "GET /v1/tasks"),
            ("POST", "/v1/task", "POST /v1/tasks"), ("GET", "/tasks", "GET /v1/tasks"),
            ("POST", "/tasks/", "POST /v1/tasks"), ("GET", "/v1/tasks/", "GET /v1/tasks"),
            ("GET", "/V1/Tasks", "GET /v1/tasks"), ("GET", "/health", "GET /healthz"),
            ("POST", "/v1/tasks/0190/supend", "POST /v1/tasks/{id}/suspend"),
            ("POST", "/v1/tasks/0190:suspend", "POST /v1/tasks/{id}/suspend"),
            ("POST", "/v1/tasks:cancle", "POST /v1/tasks:cancel"), ("GET", "/v1/tasks:counts", "GET /v1/tasks/counts"),
            ("DELETE", "/tasks/0190", "DELETE /v1/tasks/{id}"),
        ])
    func close(method: String, path: String, route: String) throws {
        let head = try RequestHead.sample(#require(HTTPRequest.Method(method)), path)
        #expect(hints.closest(to: head) == route)
    }

    @Test(
        "No route is suggested for a path that resembles none",
        arguments: [
            "/", "/v1", "/favicon.ico", "/v1/users", "/v1/tasks:whatever", "/v1/tasks/0190/whatever", "/v2/tasks/a/b/c",
            "/a/b/c/d/e/f/g/h/i", "/v1/tasks/0190/\(String(repeating: "body", count: 20))", "/v1//body",
        ])
    func far(path: String) throws {
        #expect(hints.closest(to: try .sample(.get, path)) == nil)
    }

    @Test("Only routes with the method of the request are suggested if another method is not allowed")
    func method() throws {
        #expect(hints.closest(to: try .sample(.post, "/v1/tasks/batch"), onlyMethod: true) == "POST /v1/tasks:batch")
        #expect(hints.closest(to: try .sample(.put, "/v1/tasks/batch"), onlyMethod: true) == nil)
    }
}
