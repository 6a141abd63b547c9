import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("A request for data", .timeLimit(.hang))
struct SessionDataTests {
    let configuration: SessionConfiguration

    init() throws {
        configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://e.com/"))
    }

    @Test("returns a successful response")
    func success() async throws {
        let head = ResponseHead(status: 200, headers: [.contentType: "application/json"])
        let session = Session(configuration, transport: ScriptedTransport([.head(head), .bytes(Array("{}".utf8))]))
        let response = try await session.data(for: TaskRequest(path: "a"))
        #expect(response.head == head)
        #expect(response.json == Array("{}".utf8)[...])
    }

    @Test("throws the error of the attempt")
    func failure() async {
        let session = Session(configuration, transport: ScriptedTransport([.head(ResponseHead(status: 404))]))
        let error = await #expect(throws: SessionError.self) { try await session.data(for: TaskRequest()) }
        #expect(error?.code == .unacceptableStatus)
    }

    @Test("asks the retriers of its hooks: a refused token is refreshed, and the request is sent again")
    func retriers() async throws {
        let tokens = TokenRefresher(RefreshedToken("t0")) { RefreshedToken("t1") }
        let transport = ScriptedTransport { request in
            [.head(request.headers[.authorization] == "Bearer t1" ? 200 : 401)]
        }
        let hooked = try HookedSession(SessionHooks(interceptor: tokens), over: transport)
        #expect(try await hooked.session.data(for: TaskRequest()).status == 200)
        #expect(transport.requests.map { $0.headers[.authorization] } == ["Bearer t0", "Bearer t1"])
    }

    @Test("is one of the session's tasks, and is canceled with the calling Swift task")
    func cancelation() async throws {
        let transport = ScriptedTransport([.wait(.init())])
        let session = Session(configuration, transport: transport)
        let call = Task { () async throws(SessionError) in try await session.data(for: TaskRequest(path: "a")) }
        _ = await transport.requests(1)
        #expect(session.tasks.map(\.request.shownURL) == ["http://e.com/a"])
        call.cancel()
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error == .canceled)
        #expect(session.tasks.isEmpty)
    }

    @Test("throws that the session is closed")
    func closed() async throws {
        let session = Session(configuration, transport: UnusedTransport())
        await session.invalidate(cancelingTasks: false)
        let error = await #expect(throws: SessionError.self) { try await session.data(for: TaskRequest()) }
        #expect(error?.code == .sessionClosed)
    }

    @Test("throws the problems of the request, without a transfer")
    func problems() async {
        let session = Session(configuration, transport: UnusedTransport())
        let error = await #expect(throws: SessionError.self) {
            try await session.data(for: TaskRequest(method: "BREW", path: "http://o.com/"))
        }
        #expect(error?.code == .methodNotAllowed)
        #expect(error?.message.contains("; ") == true)
    }
}
