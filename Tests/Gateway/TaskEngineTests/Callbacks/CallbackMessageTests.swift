import ErrandConfiguration
import ErrandRequestSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("CallbackMessage", .timeLimit(.hang))
struct CallbackMessageTests {
    private let url = "http://receiver.example/hook"

    /// Returns the request of a message as a session prepares it.
    private func prepare(
        _ message: CallbackMessage, _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> TransferRequest {
        var configuration = SessionConfiguration(name: "hooks", baseURL: try HTTPURL("http://receiver.example/"))
        change(&configuration)
        let logger = DispatcherFixture.logger
        let transport = ScriptedTransport([])
        let sessions = SessionCatalog(
            [configuration], defaultName: nil, factory: SessionFactory(logger: logger) { _ in transport },
            logger: logger)
        return try #require(sessions["hooks"]).prepare(message.request).transfer
    }

    /// Returns the content of a request that is in memory.
    private func content(of request: TransferRequest) -> [UInt8]? {
        if case .bytes(let bytes) = request.body { bytes } else { nil }
    }

    @Test("The content is sent as it was signed, also by a session that compresses, and with its digest")
    func uncompressed() throws {
        let body = Array("{}".utf8)
        let request = try prepare(CallbackMessage(id: "1", url: url, body: body)) {
            $0.request.compression = RequestCompression(coding: .gzip, minBytes: 1)
            $0.request.contentDigest = .sha256
        }
        #expect(request.headers[.contentEncoding] == nil)
        #expect(request.headers[.contentType] == "application/json")
        #expect(request.headers[.contentDigest] == "sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:")
        #expect(content(of: request) == body)
    }

    @Test("A message about an object of any depth is sent")
    func deep() throws {
        let object = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
        let message = CallbackMessage(id: "1", url: url, body: Array(#"{"data":\#(object)}"#.utf8))
        let stored = try CallbackMessage(document: message.document)
        #expect(stored == message)
        #expect(content(of: try prepare(stored)) == message.body)
    }

    @Test(
        "Any successful status delivers a message, and no other, whatever the session accepts",
        arguments: [(204, TaskState.succeeded), (404, TaskState.waiting), (307, TaskState.failed)])
    func statuses(_ status: Int, _ state: TaskState) async throws {
        var configuration = SessionConfiguration(name: "hooks", baseURL: try HTTPURL("http://receiver.example/"))
        configuration.response.acceptableStatuses = StatusSet([200...200, 300...404])
        let fixture = try DispatcherFixture(configuration: configuration) { _ in
            [.head(ResponseHead(status: status, headers: [.location: "http://receiver.example/other"]))]
        }
        var signing = CallbackConfiguration()
        signing.allowsUnsigned = true
        fixture.sessions.callbacks.apply(signing)
        try await fixture.open {
            var record = TaskRecord.sample(1, session: "hooks", kind: .callback)
            record.change {
                $0.specification.task = CallbackMessage(id: "1", url: url, body: Array("{}".utf8)).document
            }
            for answer in await fixture.dispatcher.create([(NewTask(record), nil)]) { _ = try answer.get() }
            #expect(try await fixture.reaches(state, record)?.state == state)
        }
    }
}
