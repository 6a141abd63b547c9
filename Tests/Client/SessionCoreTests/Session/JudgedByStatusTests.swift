import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("A request whose success depends only on the status", .timeLimit(.hang))
struct JudgedByStatusTests {
    private var configuration: SessionConfiguration

    init() throws {
        configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://e.com/"))
        configuration.response.acceptableContentTypes = []
    }

    private func run(
        _ steps: [ScriptedTransport.Step], sink: any BodySink = MemorySink()
    ) async throws -> SessionOutcome {
        let session = Session(configuration, transport: ScriptedTransport(steps))
        var request = TaskRequest(method: "POST", responseSerializer: .raw)
        request.isJudgedByStatus = true
        return await session.run(try session.prepare(request), sink: sink)
    }

    private static let failures: [TransferError] = [
        TransferError(.badContentEncoding, "Damaged"), TransferError(.connectionLost, "Lost", mayHaveArrived: true),
        TransferError(.timedOut, "Late"),
    ]

    @Test("succeeds by its head, whatever happens to the content", arguments: failures.indices)
    func succeeds(index: Int) async throws {
        let head = ResponseHead(status: 200, headers: [.contentType: "text/html"])
        let sink = RecordingSink()
        let outcome = try await run([.head(head), .bytes([1]), .fail(Self.failures[index])], sink: sink)
        #expect(outcome.error == nil)
        #expect(outcome.response?.head == head)
        #expect(outcome.response?.body == nil)
        #expect(sink.record.discarded == 1)
    }

    @Test("fails by its status, whatever happens to the content", arguments: failures.indices)
    func fails(index: Int) async throws {
        let outcome = try await run([.head(ResponseHead(status: 503)), .bytes([1]), .fail(Self.failures[index])])
        #expect(outcome.error?.code == .unacceptableStatus)
        #expect(outcome.error?.isRetryable == true)
    }

    @Test("reads at most 64 KiB, and retains complete content")
    func bounded() async throws {
        let head = ResponseHead(status: 202)
        let large = try await run([.head(head), .bytes([UInt8](repeating: 0, count: 65_537))])
        #expect(large.error == nil && large.response?.body == nil)
        let announced = try await run([.head(ResponseHead(status: 202, headers: [.contentLength: "65537"]))])
        #expect(announced.error == nil && announced.response?.body == nil)
        let small = try await run([.head(head), .bytes([UInt8](repeating: 0, count: 65_536))])
        #expect(small.error == nil && small.response?.body?.size == 65_536)
    }

    @Test("succeeds if its content cannot be stored")
    func notKept() async throws {
        let sink = RecordingSink(failure: TransferError(.diskFull, "Full"))
        let outcome = try await run([.head(ResponseHead(status: 200)), .bytes([1])], sink: sink)
        #expect(outcome.error == nil && outcome.response?.body == nil)
    }

    @Test("fails without a head like other requests")
    func noHead() async throws {
        #expect(try await run([.fail(TransferError(.connectionLost, "Lost"))]).error?.code == .connectionLost)
    }
}
