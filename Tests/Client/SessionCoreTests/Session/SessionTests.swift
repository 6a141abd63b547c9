import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("A session", .timeLimit(.hang))
struct SessionTests {
    var configuration: SessionConfiguration
    let json = ResponseHead(status: 200, headers: [.contentType: "application/json"])

    init() throws {
        configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://e.com/"))
        configuration.response.disposition.maxBodyBytes = 10
    }

    private func run(
        _ steps: [ScriptedTransport.Step], _ request: TaskRequest = TaskRequest(), sink: any BodySink = MemorySink()
    ) async throws -> SessionOutcome {
        let session = Session(configuration, transport: ScriptedTransport(steps))
        return await session.run(try session.prepare(request), sink: sink)
    }

    @Test("passes the prepared request to its transport and the response to its caller")
    func success() async throws {
        let transport = ScriptedTransport([.head(json), .bytes(Array(" [1".utf8)), .bytes(Array("]".utf8))])
        let session = Session(configuration, transport: transport)
        let outcome = await session.run(try session.prepare(TaskRequest(path: "a")), sink: MemorySink())
        #expect(transport.requests.map(\.url.string) == ["http://e.com/a"])
        let response = try #require(outcome.response)
        #expect(outcome.error == nil)
        #expect(response.head == json)
        #expect(response.url.string == "http://e.com/a")
        #expect(response.redirects == 0)
        #expect(response.serializer == .json)
        #expect(response.object == .slice(1..<4))
        #expect(response.json.map { String(decoding: $0, as: UTF8.self) } == "[1]")
        #expect(response.body?.size == 4)
    }

    @Test("returns response and content with a failed validation")
    func failedValidation() async throws {
        let head = ResponseHead(status: 500, headers: [.contentType: "application/json"])
        let outcome = try await run([.head(head), .bytes(Array("{}".utf8))])
        #expect(outcome.error?.code == .unacceptableStatus)
        #expect(outcome.response?.object == .slice(0..<2))
        #expect(outcome.response?.body?.size == 2)
    }

    @Test("converts a failed transfer into its error, with the received head")
    func failedTransfer() async throws {
        let sink = RecordingSink()
        let lost = TransferError(.connectionLost, "Lost", mayHaveArrived: true)
        let outcome = try await run([.head(json), .bytes([0x7B]), .fail(lost)], sink: sink)
        #expect(outcome.error == SessionError(.connectionLost, "Lost", mayHaveArrived: true))
        #expect(outcome.response?.head == json)
        #expect(outcome.response?.body == nil)
        #expect(sink.record == .init(begun: 1, pieces: [[0x7B]], finished: 0, discarded: 1))
    }

    @Test("has no response without a head")
    func noHead() async throws {
        let sink = RecordingSink()
        let outcome = try await run([.fail(TransferError(.cannotConnect, "Refused"))], sink: sink)
        #expect(outcome.error == SessionError(.cannotConnect, "Refused"))
        #expect(outcome.response == nil)
        #expect(sink.record.discarded == 1)
        #expect(sink.record.finished == 0)
    }

    @Test("reports a transport without response and error as an internal error")
    func nothing() async throws {
        #expect(try await run([]).error?.code == .internal)
    }

    @Test("fails if its sink cannot store the content")
    func sinkFails() async throws {
        let sink = RecordingSink(failure: TransferError(.diskFull, "Full"))
        let outcome = try await run([.head(json), .bytes(Array("{}".utf8))], sink: sink)
        #expect(outcome.error == SessionError(.diskFull, "Full"))
        #expect(outcome.response?.body == nil)
        #expect(sink.record.finished == 1)
        #expect(sink.record.discarded == 0)
    }

    @Test("passes its sink's pauses on to the transport")
    func pauses() async throws {
        let sink = RecordingSink(pausing: true)
        let outcome = try await run([.head(json), .bytes(Array("[".utf8)), .bytes(Array("]".utf8))], sink: sink)
        #expect(outcome.error == nil)
        #expect(sink.record == .init(begun: 1, pieces: [[0x5B], [0x5D]], finished: 1, discarded: 0))
    }

    @Test("canceled by its Swift task ends as canceled, and discards the content")
    func canceled() async throws {
        let sink = RecordingSink()
        let began = Signal<Void>()
        let transport = ScriptedTransport { [json] _ in
            began.send()
            return [.head(json), .bytes([1]), .wait(.init())]
        }
        let session = Session(configuration, transport: transport)
        let request = try session.prepare(TaskRequest())
        let run = Task { await session.run(request, sink: sink) }
        await began.wait()
        run.cancel()
        let outcome = await run.value
        #expect(outcome.error?.code == .canceled)
        #expect(outcome.error?.number == -999)
        #expect(sink.record.discarded == 1)
        #expect(sink.record.finished == 0)
    }

    // MARK: Size

    private func head(_ headers: HTTPFields, status: Int = 200) -> ResponseHead {
        var head = json
        head.status = status
        head.headers.append(contentsOf: headers)
        return head
    }

    @Test("stops at the head of a response that announces too much content")
    func announced() async throws {
        let sink = RecordingSink()
        let outcome = try await run([.head(head([.contentLength: "11"])), .bytes([1])], sink: sink)
        #expect(outcome.error?.code == .bodyTooLarge)
        #expect(outcome.error?.number == -1103)
        #expect(outcome.response?.head.status == 200)
        #expect(sink.record == .init(begun: 1, pieces: [], finished: 0, discarded: 1))
    }

    @Test("stops at the first byte above the limit")
    func counted() async throws {
        let sink = RecordingSink()
        let piece = [UInt8](repeating: 0x20, count: 5)
        let outcome = try await run([.head(json), .bytes(piece), .bytes(piece), .bytes([0x20])], sink: sink)
        #expect(outcome.error?.code == .bodyTooLarge)
        #expect(sink.record == .init(begun: 1, pieces: [piece, piece], finished: 0, discarded: 1))
    }

    @Test("accepts content of exactly the maximum size")
    func justFits() async throws {
        let outcome = try await run([.head(head([.contentLength: "10"])), .bytes(Array(#"{"a":1234}"#.utf8))])
        #expect(outcome.error == nil)
        #expect(outcome.response?.body?.size == 10)
    }

    @Test(
        "ignores the length of absent or decoded content, and invalid lengths",
        arguments: [
            ("HEAD", 200, [.contentLength: "11"]), ("GET", 204, [.contentLength: "11"]),
            ("GET", 304, [.contentLength: "11"]), ("GET", 200, [.contentLength: "11", .contentEncoding: "gzip"]),
            ("GET", 200, [.contentLength: "99999999999999999999"]),
        ] as [(String, Int, HTTPFields)])
    func announcedOnly(method: String, status: Int, headers: HTTPFields) async throws {
        let outcome = try await run([.head(head(headers, status: status))], TaskRequest(method: method))
        #expect(outcome.error?.code != .bodyTooLarge)
        #expect(outcome.response?.body?.size == 0)
    }

    @Test("applies the limit to encoded content that is not decoded")
    func codedStays() async throws {
        let request = TaskRequest(headers: [TaskHeader("Accept-Encoding", nil)])
        let outcome = try await run([.head(head([.contentLength: "11", .contentEncoding: "gzip"]))], request)
        #expect(outcome.error?.code == .bodyTooLarge)
    }

    @Test("shows response headers without cookies")
    func shownHeaders() async throws {
        let outcome = try await run([.head(head([.setCookie: "a=s3cret"]))])
        #expect(outcome.response?.shownHeaders[.setCookie] == "[redacted]")
        #expect(outcome.response?.head.headers[.setCookie] == "a=s3cret")
    }
}
