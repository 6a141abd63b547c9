import ErrandHTTPServer
import ErrandSupport
import HTTPTypes
import MicroHTTPServer
import Testing

@Suite("Responses that have ended", .timeLimit(.hang))
struct EndedResponseTests {
    /// The tag of the responses of a test.
    private final class Tag: Sendable {
        let name: String

        init(_ name: String) { self.name = name }
    }

    private struct Broken: Error {}

    /// A handler that tags its responses and records those that have ended.
    private struct Handler: HTTPHandler {
        let router: Router
        let ended = EventLog<EndedResponse>()

        init(_ folder: TemporaryFolder, reading: ReadingRoute = ReadingRoute()) throws {
            let file = FileRegion(path: folder["file"], offset: 1, length: 5)
            router = try Router(routes: [
                Route(.get, "/text") { _, _ in .immediate(.text("fine")) },
                Route(.get, "/later") { _, _ in .deferred { .text("accepted", status: .accepted) } },
                Route(.get, "/file") { _, _ in .immediate(ServerResponse(status: .ok, body: .file(file))) },
                Route(.get, "/lost") { _, _ in
                    .immediate(
                        ServerResponse(status: .ok, body: .file(FileRegion(path: "/nowhere", offset: 0, length: 1))))
                },
                Route(.get, "/stream") { _, _ in Self.stream(parts: 3, then: nil) },
                Route(.get, "/broken") { _, _ in Self.stream(parts: 3, then: Broken()) },
                Route(.get, "/endless") { _, _ in Self.stream(parts: .max, then: nil) },
                Route(.post, "/content") { _, _ in
                    .buffered(limitBytes: 10, tooLarge: { ServerResponse(status: .contentTooLarge) }) { _ in
                        .immediate(ServerResponse(status: .noContent))
                    }
                },
                reading.route("/streamed"),
            ])
        }

        /// Returns a response of so many parts of ten bytes.
        private static func stream(parts: Int, then error: (any Error)?) -> RequestDisposition {
            let left = EventCounter()
            return .immediate(
                ServerResponse(
                    status: .ok,
                    body: .stream(
                        ResponseStream {
                            left.increment()
                            guard left.count > parts else { return [UInt8](repeating: 65, count: 10) }
                            if let error { throw error }
                            return nil
                        })))
        }

        func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition {
            let isUntagged = head.target.query != nil
            let tag = Tag(head.target.path)
            return router.admit(head, route: &route).changingResponses { $0.tag = isUntagged ? nil : tag }
        }

        func response(to problem: ProblemDetails) -> ServerResponse {
            var response = problem.response()
            response.tag = Tag("problem")
            return response
        }

        func responseDidEnd(_ response: EndedResponse) { ended.append(response) }
    }

    /// A request of a test, and what the handler learns of it.
    struct Sample: Sendable, CustomTestStringConvertible {
        let request: String
        var route: String?
        let status: Int
        let bytes: Int64
        var tag: String

        var testDescription: String { "\(status) for \(request.prefix { $0 != "\r" })" }
    }

    private static let samples = [
        Sample(request: get("/text"), route: "/text", status: 200, bytes: 4, tag: "/text"),
        Sample(request: get("/text", method: "HEAD"), route: "/text", status: 200, bytes: 0, tag: "/text"),
        Sample(request: get("/later"), route: "/later", status: 202, bytes: 8, tag: "/later"),
        Sample(request: get("/file"), route: "/file", status: 200, bytes: 5, tag: "/file"),
        Sample(request: get("/stream"), route: "/stream", status: 200, bytes: 30, tag: "/stream"),
        Sample(request: post("/content", "small"), route: "/content", status: 204, bytes: 0, tag: "/content"),
        Sample(
            request: post("/content", "too much content"), route: "/content", status: 413, bytes: 0, tag: "/content"),
        Sample(
            request: postChunked("/content") + "ff\r\n" + String(repeating: "a", count: 255), route: "/content",
            status: 413, bytes: 0, tag: "/content"),
        Sample(request: get("/text", "Bad Name: x\r\n", method: "HEAD"), status: 400, bytes: 0, tag: "problem"),
    ]

    @Test("The handler learns the bytes of a response and its tag when it has ended", arguments: samples)
    func ended(sample: Sample) async throws {
        let folder = try TemporaryFolder()
        try folder.write("content", to: "file")
        let handler = try Handler(folder)
        try await TestServer.with(handler: handler) { server in
            let client = try server.client()
            let response = try await client.exchange(sample.request, isHead: sample.request.hasPrefix("HEAD"))
            #expect(response.status == sample.status)
        }
        #expect(handler.ended.events.count == 1)
        let ended = try #require(handler.ended.events.first)
        #expect(ended.route == sample.route)
        #expect(ended.status.code == sample.status)
        #expect(ended.contentBytes == sample.bytes)
        #expect(ended.isComplete)
        #expect(ended.remoteAddress == "127.0.0.1")
        #expect((ended.tag as? Tag)?.name == sample.tag)
        #expect(ended.duration >= .zero)
    }

    @Test(
        "A request that the server itself refuses has the tag of the problem",
        arguments: [get("/text", "Bad Name: x\r\n"), "NO/SUCH\r\n\r\n"])
    func refused(request: String) async throws {
        let handler = try Handler(TemporaryFolder())
        try await TestServer.with(handler: handler) { server in
            let response = try await server.client().exchange(request)
            #expect(response.status == 400)
        }
        #expect(handler.ended.events.count == 1)
        let ended = try #require(handler.ended.events.first)
        #expect(ended.status == .badRequest)
        #expect(ended.isComplete)
        #expect((ended.contentBytes ?? 0) > 0)
        #expect((ended.tag as? Tag)?.name == "problem")
    }

    @Test("A refusal of content that is read as it arrives has the tag of the request")
    func refusedContent() async throws {
        let reading = ReadingRoute()
        let handler = try Handler(TemporaryFolder(), reading: reading)
        try await TestServer.with(handler: handler) { server in
            let client = try server.client()
            try await client.send(postChunked("/streamed") + "3\r\nabc\r\n")
            await reading.begun.wait()
            let response = try await client.exchange("xyz\r\n")
            #expect(response.status == 400)
        }
        #expect(handler.ended.events.count == 1)
        let ended = try #require(handler.ended.events.first)
        #expect(ended.route == "/streamed")
        #expect(ended.status == .badRequest)
        #expect(ended.isComplete)
        #expect((ended.tag as? Tag)?.name == "/streamed")
    }

    @Test("A response that cannot be sent keeps its tag, with the status as sent")
    func lost() async throws {
        let handler = try Handler(TemporaryFolder())
        try await TestServer.with(handler: handler) { server in
            let response = try await server.client().exchange(get("/lost"))
            #expect(response.status == 500)
        }
        #expect(handler.ended.events.map(\.status) == [.internalServerError])
        #expect((handler.ended.events.first?.tag as? Tag)?.name == "/lost")
    }

    @Test("A stream that breaks, or whose client leaves, is not complete")
    func incomplete() async throws {
        let handler = try Handler(TemporaryFolder())
        try await TestServer.with(handler: handler) { server in
            let client = try server.client()
            try await client.send(get("/broken"))
            _ = try await client.untilClosedOrReset()
            let leaving = try server.client()
            try await leaving.send(get("/endless"))
            _ = try await leaving.bytes(1000)
            leaving.close()
            await server.waitUntilUnconnected()
        }
        let ended = handler.ended.events
        #expect(ended.map(\.route) == ["/broken", "/endless"])
        #expect(!ended.contains { $0.isComplete })
        #expect(ended.first?.contentBytes == 30)
        #expect((ended.last?.contentBytes ?? 0) >= 500)
    }

    @Test("A response without a tag is not reported")
    func untagged() async throws {
        let handler = try Handler(TemporaryFolder())
        try await TestServer.with(handler: handler) { server in
            let response = try await server.client().exchange(get("/text?untagged"))
            #expect(response.status == 200)
        }
        #expect(handler.ended.events.isEmpty)
    }
}
