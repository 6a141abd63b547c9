import ErrandHTTPServer
import ErrandSupport
import HTTPTypes
import MicroHTTPServer
import Testing

@Suite("Responses of the server in place of the handler's", .timeLimit(.hang))
struct ReplacedResponseTests {
    /// A handler that identifies its requests by their path, and changes and observes its responses.
    private struct Handler: HTTPHandler {
        let router: Router
        let observed = EventLog<HTTPResponse.Status>()

        func requestID(of head: RequestHead) -> String? { "id of \(head.target.path)" }

        func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition {
            #expect(head.requestID == requestID(of: head))
            return router.admit(head, route: &route)
                .changingResponses { $0.headers[.age] = "1" }
                .observingResponses { [observed] response in observed.append(response.status) }
        }
    }

    private static let fields: HTTPFields = [
        .accessControlAllowOrigin: "https://console.example", .vary: "Origin", .contentType: "text/csv",
        .contentRange: "bytes 0-9/20", .contentDisposition: "attachment", .eTag: "\"1\"", .acceptRanges: "bytes",
        .cacheControl: "max-age=60",
    ]

    private static let large = ServerResponse(
        status: .ok, headers: fields, body: .bytes([UInt8](repeating: 0x61, count: 8 << 20)))

    private func handler() throws -> Handler {
        Handler(
            router: try Router(routes: [
                Route(.get, "/lost") { _, _ in
                    .immediate(
                        ServerResponse(
                            status: .partialContent, headers: Self.fields,
                            body: .file(FileRegion(path: "/nowhere", offset: 0, length: 10))))
                },
                Route(.get, "/large") { _, _ in .immediate(Self.large) },
                Route(.post, "/deferred") { _, _ in .deferred { .text("fine") } },
                Route(.post, "/buffered") { _, _ in
                    .buffered(limitBytes: 1 << 30, tooLarge: { ServerResponse(status: .contentTooLarge) }) {
                        .immediate(.text("\($0.count)"))
                    }
                },
            ]))
    }

    private func expectFieldsOfHandler(_ response: RawHTTPClient.Response) {
        #expect(response["Access-Control-Allow-Origin"] == "https://console.example")
        #expect(response["Vary"] == "Origin")
        #expect(response["Content-Type"] == "application/problem+json")
        for name in ["Content-Range", "Content-Disposition", "ETag", "Accept-Ranges", "Cache-Control"] {
            #expect(response[name] == nil, "\(name)")
        }
    }

    @Test("a 500 has the fields of the response that cannot be sent, without those of its content, and its id")
    func lost() async throws {
        let log = RecordedLog()
        try await TestServer.with(handler: try handler(), logger: log.logger) { server in
            let response = try await server.response(get("/lost"))
            #expect(response.status == 500)
            expectFieldsOfHandler(response)
            #expect(response.text.contains(#""request_id":"id of /lost""#))
            #expect(response.text.contains(#""instance":"/lost""#))
        }
        let line = await log.line("Cannot send a response")
        #expect(line["status"] == "206")
        #expect(log.numbers(of: "Cannot send a response") == ["status"])
    }

    @Test("a 503 for lack of room has the fields of the response that is too large now, and its id")
    func overloaded() async throws {
        var configuration = ServerConfiguration.patient
        configuration.limits.maxPendingResponseBytes = 10 << 20
        try await TestServer.with(configuration, handler: try handler()) { server in
            let reader = try server.client(receiveBufferBytes: 4096)
            try await reader.send(get("/large"))
            _ = try await reader.bytes(16)
            let response = try await server.response(get("/large"))
            #expect(response.status == 503)
            #expect(response["Retry-After"] == "1")
            expectFieldsOfHandler(response)
            #expect(response.text.contains(#""request_id":"id of /large""#))
            reader.reset()
        }
    }

    /// A request that the server refuses after the handler has admitted its head.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let request: String
        let status: Int
        let path: String

        var testDescription: String { "\(status)" }
    }

    private static let refusals = [
        Refusal(request: postChunked("/buffered") + "1\r\n", status: 408, path: "/buffered"),
        Refusal(
            request: post("/deferred", String(repeating: "a", count: 1 << 20)), status: 413, path: "/deferred"),
        Refusal(
            request: get("/buffered", "Content-Length: 1000000000\r\nExpect: 100-continue\r\n", method: "POST"),
            status: 503, path: "/buffered"),
    ]

    @Test("a refusal of content has the id that the handler gave to the request, and its changes", arguments: refusals)
    func content(refusal: Refusal) async throws {
        var configuration = ServerConfiguration.patient
        configuration.limits.maxBufferedBytes = 1 << 20
        // Only the 408 takes this long.
        if refusal.status == 408 { configuration.timeouts.bodyIdle = .milliseconds(100) }
        try await TestServer.with(configuration, handler: try handler()) { server in
            let holding = try server.client()
            if refusal.status == 503 {
                // The budget refuses a content only beside another one.
                try await holding.send(
                    postChunked("/buffered") + "96000\r\n" + String(repeating: "a", count: 0x96000))
            }
            while true {
                try Task.checkCancellation()
                let response = try await server.response(refusal.request)
                // The content that holds the budget may not have arrived yet.
                if refusal.status == 503, response.status == 100 { continue }
                #expect(response.status == refusal.status)
                #expect(response.text.contains(#""request_id":"id of \#(refusal.path)""#), "\(response.text)")
                #expect(response["Age"] == "1")
                break
            }
            holding.close()
        }
    }

    @Test(
        "a refusal of content that is read as it arrives has the changes too, and the handler's response is observed",
        arguments: [400, 408])
    func streamedContent(status: Int) async throws {
        var configuration = ServerConfiguration.patient
        if status == 408 { configuration.timeouts.bodyIdle = .milliseconds(100) }
        let reading = ReadingRoute()
        let handler = Handler(router: try Router(routes: [reading.route("/streamed")]))
        try await TestServer.with(configuration, handler: handler) { server in
            let client = try server.client()
            try await client.send(postChunked("/streamed") + "3\r\nabc\r\n")
            await reading.begun.wait()
            if status == 400 { try await client.send("xyz\r\n") }
            let response = try await client.response()
            #expect(response.status == status)
            #expect(response.text.contains(#""request_id":"id of /streamed""#), "\(response.text)")
            #expect(response["Age"] == "1")
        }
        #expect(handler.observed.events == [.ok])
    }
}
