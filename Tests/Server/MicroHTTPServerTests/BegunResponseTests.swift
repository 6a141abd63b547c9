import ErrandHTTPServer
import ErrandSupport
import HTTPTypes
import MicroHTTPServer
import Testing

@Suite("Responses that have begun", .timeLimit(.hang))
struct BegunResponseTests {
    /// A handler that records the responses that have begun.
    private struct Handler: HTTPHandler {
        let router: Router
        let begun = EventLog<BegunResponse>()

        init() throws {
            router = try Router(routes: [
                Route(.get, "/tasks/{id}") { _, _ in .immediate(.text("fine")) },
                Route(.get, "/later") { _, _ in .deferred { .text("accepted", status: .accepted) } },
                Route(.get, "/lost") { _, _ in
                    .immediate(
                        ServerResponse(status: .ok, body: .file(FileRegion(path: "/nowhere", offset: 0, length: 1))))
                },
                Route(.post, "/content") { _, _ in
                    .buffered(limitBytes: 10, tooLarge: { ServerResponse(status: .contentTooLarge) }) { _ in
                        .immediate(ServerResponse(status: .noContent))
                    }
                },
            ])
        }

        func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition {
            router.admit(head, route: &route)
        }

        func responseDidBegin(_ response: BegunResponse) { begun.append(response) }
    }

    /// A request of a test, and what the handler learns of it.
    struct Sample: Sendable, CustomTestStringConvertible {
        let request: String
        let method: HTTPRequest.Method?
        let route: String?
        let status: Int

        var testDescription: String { "\(status) for \(request.prefix { $0 != "\r" })" }
    }

    private static let samples = [
        Sample(request: get("/tasks/1"), method: .get, route: "/tasks/{id}", status: 200),
        Sample(request: get("/tasks/2", method: "HEAD"), method: .head, route: "/tasks/{id}", status: 200),
        Sample(request: get("/later"), method: .get, route: "/later", status: 202),
        Sample(request: get("/nowhere"), method: .get, route: nil, status: 404),
        Sample(request: get("/tasks/1", method: "DELETE"), method: .delete, route: nil, status: 405),
        Sample(request: get("/lost"), method: .get, route: "/lost", status: 500),
        Sample(request: post("/content", "small"), method: .post, route: "/content", status: 204),
        Sample(request: post("/content", "too much content"), method: .post, route: "/content", status: 413),
        Sample(
            request: postChunked("/content") + "ff\r\n" + String(repeating: "a", count: 255), method: .post,
            route: "/content", status: 413),
        Sample(request: get("/tasks/1", "Bad Name: x\r\n"), method: nil, route: nil, status: 400),
        Sample(
            request: get("/tasks/1", "Bad Name: x\r\n", method: "HEAD"), method: .head, route: nil, status: 400),
        Sample(request: "NO/SUCH\r\n\r\n", method: nil, route: nil, status: 400),
    ]

    @Test("The handler learns the route and the status as sent, once for each request", arguments: samples)
    func begun(sample: Sample) async throws {
        let handler = try Handler()
        try await TestServer.with(handler: handler) { server in
            let client = try server.client()
            let response = try await client.exchange(sample.request, isHead: sample.method == .head)
            #expect(response.status == sample.status)
        }
        #expect(handler.begun.events.count == 1)
        let begun = try #require(handler.begun.events.first)
        #expect(begun.method == sample.method)
        #expect(begun.route == sample.route)
        #expect(begun.status.code == sample.status)
        #expect(begun.duration >= .zero)
    }

    @Test("A client that leaves before the response is not counted")
    func left() async throws {
        let handler = try Handler()
        try await TestServer.with(handler: handler) { server in
            let client = try server.client()
            try await client.send("POST /content HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\n12")
            client.close()
            await server.waitUntilUnconnected()
        }
        #expect(handler.begun.events.isEmpty)
    }
}
