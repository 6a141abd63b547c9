import ErrandAuthentication
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("The content of a response that is not acceptable, with `cancel`", .timeLimit(.hang))
struct UnacceptableContentTests {
    var configuration: SessionConfiguration

    init() throws {
        configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://a.com/"))
        configuration.response.disposition.unacceptable = .cancel
    }

    /// Runs a request over a script that ends with an error if its content is read.
    private func run(
        _ request: TaskRequest = TaskRequest(), _ configuration: SessionConfiguration? = nil,
        sink: any BodySink = MemorySink(), script: @escaping @Sendable (TransferRequest) -> [ScriptedTransport.Step]
    ) async throws -> (outcome: SessionOutcome, requests: [TransferRequest]) {
        let transport = ScriptedTransport { script($0) + Self.content }
        let session = Session(configuration ?? self.configuration, transport: transport)
        let outcome = await session.run(try session.prepare(request), sink: sink)
        return (outcome, transport.requests)
    }

    private static let content: [ScriptedTransport.Step] = [.bytes(Array("{}".utf8))]
    private static let json = "application/json"

    @Test(
        "is not received: the error has the head",
        arguments: [
            (404, Self.json, [.unacceptableStatus]), (200, "text/html", [.unacceptableContentType]),
            (503, "text/html", [.unacceptableStatus, .unacceptableContentType]),
        ] as [(Int, String, [SessionErrorCode])], [true, false])
    func refused(_ response: (status: Int, type: String, codes: [SessionErrorCode]), statesLength: Bool) async throws {
        let sink = RecordingSink()
        var fields: HTTPFields = [.contentType: response.type]
        if statesLength { fields[.contentLength] = "2" }
        let (outcome, _) = try await run(sink: sink) { [fields] _ in [.head(response.status, fields)] }
        // Without a length, a response with another status may have no content, whose type would be wrong.
        let codes = statesLength ? response.codes : Array(response.codes.prefix(1))
        #expect([outcome.error?.code, outcome.error?.underlying?.code].compactMap { $0 } == codes)
        #expect(outcome.error?.isRetryable == (response.status == 503))
        #expect(outcome.response?.head.status == response.status)
        #expect(outcome.response?.body == nil)
        #expect(sink.record.pieces.isEmpty && sink.record.finished == 0 && sink.record.discarded == 1)
    }

    @Test(
        "that is absent has no type that could be wrong, and its connection stays usable",
        arguments: [
            ("POST", 201, [:]), ("GET", 200, [.contentType: "text/html", .contentLength: "0"]),
            ("HEAD", 200, [.contentType: "text/html", .contentEncoding: "gzip"]),
            ("GET", 404, [.contentLength: "0"]), ("HEAD", 404, [.contentLength: "100"]),
        ] as [(String, Int, HTTPFields)])
    func absent(method: String, status: Int, fields: HTTPFields) async throws {
        let sink = RecordingSink()
        let session = Session(configuration, transport: ScriptedTransport([.head(status, fields)]))
        let outcome = await session.run(try session.prepare(TaskRequest(method: method)), sink: sink)
        #expect(outcome.error?.code == (status == 404 ? .unacceptableStatus : nil))
        #expect(outcome.error?.underlying == nil)
        #expect(sink.record == .init(begun: 1, pieces: [], finished: 1, discarded: 0))
    }

    @Test("of the statuses and types that a request itself accepts is received")
    func accepted() async throws {
        var request = TaskRequest()
        request.acceptableStatuses = StatusSet([404...404])
        let (outcome, _) = try await run(request) { _ in [.head(404, [.contentType: Self.json])] }
        #expect(outcome.error == nil)
        #expect(outcome.response?.body?.size == 2)
    }

    @Test("of a redirect that is followed, or of a challenge that is answered, is no response")
    func notTheLast() async throws {
        let (redirected, requests) = try await run { request in
            request.url.path == "/next"
                ? [.head(200, [.contentType: Self.json])]
                : [.head(302, [.location: "/next", .contentType: "text/html"])]
        }
        #expect(redirected.error == nil)
        #expect(requests.count == 2)

        var configuration = configuration
        configuration.credentials = .digest(username: "u", password: "p")
        let (challenged, attempts) = try await run(TaskRequest(), configuration) { request in
            request.headers.contains(.authorization)
                ? [.head(200, [.contentType: Self.json])]
                : [.head(401, [.wwwAuthenticate: #"Digest realm="r", nonce="n", qop="auth""#])]
        }
        #expect(challenged.error == nil)
        #expect(attempts.count == 2)
        // One that is not answered is the response.
        let (unanswered, _) = try await run(TaskRequest(), configuration) { _ in
            [.head(401, [.contentType: "text/plain"])]
        }
        #expect(unanswered.error?.code == .unacceptableStatus)
        #expect(unanswered.response?.body?.size == 2)
    }

    @Test("of a redirect that is not followed is not received, and the error tells why it was not followed")
    func refusedRedirect() async throws {
        let (outcome, _) = try await run { _ in [.head(302, [.location: "ftp://a.com/"])] }
        #expect(outcome.error?.code == .unsupportedURL)
        #expect(outcome.error?.underlying?.code == .unacceptableStatus)
        #expect(outcome.response?.body == nil)
    }
}
