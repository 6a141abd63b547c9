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
        ] as [(Int, String, [SessionErrorCode])])
    func refused(status: Int, type: String, codes: [SessionErrorCode]) async throws {
        let sink = RecordingSink()
        let (outcome, _) = try await run(sink: sink) { _ in [.head(status, [.contentType: type])] }
        #expect([outcome.error?.code, outcome.error?.underlying?.code].compactMap { $0 } == codes)
        #expect(outcome.error?.isRetryable == (status == 503))
        #expect(outcome.response?.head.status == status)
        #expect(outcome.response?.body == nil)
        #expect(sink.record == .init(begun: 1, pieces: [], finished: 0, discarded: 1))
    }

    @Test("does not come, if its length is 0: then its type does not matter")
    func empty() async throws {
        let transport = ScriptedTransport([.head(200, [.contentType: "text/html", .contentLength: "0"])])
        let session = Session(configuration, transport: transport)
        #expect(await session.run(try session.prepare(TaskRequest()), sink: MemorySink()).error == nil)
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
    }

    @Test("of a redirect that is not followed is not received, and the error tells why it was not followed")
    func refusedRedirect() async throws {
        let (outcome, _) = try await run { _ in [.head(302, [.location: "ftp://a.com/"])] }
        #expect(outcome.error?.code == .unsupportedURL)
        #expect(outcome.error?.underlying?.code == .unacceptableStatus)
        #expect(outcome.response?.body == nil)
    }
}
