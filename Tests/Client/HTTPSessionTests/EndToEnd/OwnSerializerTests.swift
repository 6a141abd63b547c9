import ErrandLocking
import ErrandSupport
import FoundationEssentials
import Glibc
import HTTPSession
import Testing

@Suite("A serializer of the program", .timeLimit(.hang))
struct OwnSerializerTests {
    private struct Fault: Error {}

    /// Sends the strings of an array as lines.
    private struct LineWriter: RequestSerializer {
        var mark = ""

        func serialize(_ parameters: [UInt8]?) throws(RequestSerializationError) -> SerializedContent {
            let members: [String: [String]]
            do {
                members = try JSONDecoder().decode([String: [String]].self, from: Data(parameters ?? []))
            } catch {
                throw RequestSerializationError(message: "No lines", at: ["lines"], underlying: error)
            }
            let text = (members["lines"] ?? []).map { mark + $0 + "\n" }.joined()
            return SerializedContent(body: .bytes(Array(text.utf8)), contentType: "text/x-lines")
        }
    }

    /// Reads lines as an array of strings.
    private final class LineReader: ResponseSerializer {
        /// The thread of the last call.
        let thread = Mutex<UInt?>(nil)
        var acceptableContentTypes: [MediaRange]? { MediaRange("text/x-lines").map { [$0] } }

        func serialize(
            _ content: [UInt8], contentType: MediaType?
        ) throws(ResponseSerializationError) -> SerializedResponse {
            thread.withLock { $0 = UInt(pthread_self()) }
            guard content.last == UInt8(ascii: "\n") else {
                throw ResponseSerializationError("The last line is incomplete", underlying: Fault())
            }
            let lines = content.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            let json = lines.map { "\"\($0)\"" }.joined(separator: ",")
            return SerializedResponse(.json(Array("[\(json)]".utf8)))
        }
    }

    /// A sink in memory that records the thread of transfers.
    private final class ThreadSink: BodySink {
        let memory = MemorySink()
        let thread = Mutex<UInt?>(nil)

        func begin(resume: @escaping @Sendable () -> Void) { memory.begin(resume: resume) }

        func append(_ bytes: RawSpan) -> ReceiveDecision {
            thread.withLock { $0 = UInt(pthread_self()) }
            return memory.append(bytes)
        }

        func finish() async throws(TransferError) -> ReceivedBody { try await memory.finish() }
        func discard() async { await memory.discard() }
    }

    private static func echo() throws -> ScriptedServer {
        try ScriptedServer { request in
            ScriptedResponse(fields: ["Content-Type: \(request["Content-Type"] ?? "text/x-lines")"], body: request.text)
        }
    }

    @Test("serves all requests of a session, unless one selects another")
    func session() async throws {
        let server = try Self.echo()
        defer { server.stop() }
        let hooks = SessionHooks(requestSerializer: LineWriter(), responseSerializer: LineReader())
        let api = try Session(baseURL: server.origin, hooks: hooks) { $0.makePatient() }
        let lines = try await api.post("", parameters: ["lines": ["a", "b"]])
        #expect(lines.text == "a\nb\n")
        #expect(lines.json.map { String(decoding: $0, as: UTF8.self) } == #"["a","b"]"#)
        #expect(lines.serializer == .raw)
        #expect(try await api.post("", parameters: ["lines": ["c"]], as: [String].self) == ["c"])
        let options = RequestOptions(requestSerializer: .json, responseSerializer: .json)
        let json = try await api.post("", parameters: ["lines": ["d"]], options: options)
        #expect(json.text == #"{"lines":["d"]}"#)
        #expect(json.serializer == .json)
        let types = server.requests.events.map { $0["Content-Type"] }
        #expect(types == ["text/x-lines", "text/x-lines", "application/json"])
    }

    @Test("serves one request, which keeps it when its options change")
    func request() async throws {
        let server = try Self.echo()
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        var options = RequestOptions(
            hooks: SessionHooks(requestSerializer: LineWriter(mark: "1"), responseSerializer: LineReader()))
        let task = try api.dataTask("", method: .post, parameters: ["lines": ["a"]], options: options)
        options.hooks.requestSerializer = LineWriter(mark: "2")
        options.hooks.responseSerializer = nil
        task.resume()
        #expect(try await task.response.decoded(as: [String].self) == ["1a"])
        let error = await #expect(throws: SessionError.self) {
            try await api.post("", parameters: ["lines": ["a"]], options: options)
        }
        #expect(error?.code == .unacceptableContentType)
        #expect(error?.response?.text == "2a\n")
    }

    @Test("fails with an error of the session, which has its own as the cause")
    func failures() async throws {
        let server = try Self.echo()
        defer { server.stop() }
        let hooks = SessionHooks(requestSerializer: LineWriter(), responseSerializer: LineReader())
        let api = try Session(baseURL: server.origin, hooks: hooks) { $0.makePatient() }
        let unsent = await #expect(throws: SessionError.self) { try await api.post("", parameters: ["lines": 1]) }
        #expect(unsent?.code == .unserializableParameters)
        #expect(unsent?.message == "No lines")
        #expect(unsent?.cause is DecodingError)
        let unread = await #expect(throws: SessionError.self) {
            try await api.put("", headers: ["Content-Type": "text/x-lines"], body: .text("a"))
        }
        #expect(unread?.code == .unparsableBody)
        #expect(unread?.message == "The last line is incomplete")
        #expect(unread?.cause is Fault)
        #expect(unread?.response?.text == "a")
    }

    @Test("runs on another thread than transfers")
    func thread() async throws {
        let server = try Self.echo()
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let reader = LineReader()
        let sink = ThreadSink()
        let options = RequestOptions(hooks: SessionHooks(requestSerializer: LineWriter(), responseSerializer: reader))
        let task = try api.dataTask("", method: .post, parameters: ["lines": ["a"]], options: options) { sink }
        task.resume()
        #expect(await task.outcome.error == nil)
        let transferring = sink.thread.withLock { $0 }
        let reading = reader.thread.withLock { $0 }
        #expect(transferring != nil && reading != nil)
        #expect(transferring != reading)
    }
}
