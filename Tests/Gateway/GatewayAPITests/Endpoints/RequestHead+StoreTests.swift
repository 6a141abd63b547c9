import ErrandConfiguration
import ErrandHTTPServer
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Logging
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Failures of requests in the log")
struct RequestHeadStoreTests {
    /// Checks that a line names the request, and has an identifier only if the request has one.
    private func expectNamed(_ line: RecordedLog.Line?, id: String?) {
        #expect(line?["method"] == "PUT")
        #expect(line?["path"] == "/v1/tasks/1/content")
        #expect(line?["request_id"] == id)
        #expect(line?["error"]?.isEmpty == false)
    }

    @Test("A failure of the store names the request, which may have no identifier", arguments: [nil, "r"])
    func store(id: String?) throws {
        let log = RecordedLog()
        var head = try RequestHead.sample(.put, "/v1/tasks/1/content?wait=1d")
        head.requestID = id
        head.logFailure(.missingResult, to: log.logger)
        head.logFailure(.canceled, to: log.logger)
        #expect(log.lines.map(\.level) == [.error, .debug])
        for line in log.lines { expectNamed(line, id: id) }
    }

    @Test("Content that cannot be written names the request, which may have no identifier", arguments: [nil, "r"])
    func content(id: String?) throws {
        let log = RecordedLog()
        var head = try RequestHead.sample(.put, "/v1/tasks/1/content")
        head.requestID = id
        let response = ContentResponses(limits: RequestLimits(), logger: log.logger)
            .response(to: head, .notWritten(TransferError(.cannotWrite, "no room")))
        #expect(response.status == .serviceUnavailable)
        #expect(log.lines.count == 1)
        expectNamed(log.lines.first, id: id)
    }
}
