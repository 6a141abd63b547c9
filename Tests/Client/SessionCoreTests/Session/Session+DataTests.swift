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
