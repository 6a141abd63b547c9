import ErrandRequestSerialization
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("The digest of the content of a request", .timeLimit(.hang))
struct ContentDigestTests {
    var configuration: SessionConfiguration

    init() throws {
        configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://e.com/"))
        configuration.request.contentDigest = .sha256
        configuration.response.serializer = .raw
    }

    private func field(_ request: TaskRequest) throws -> String? {
        try prepare(request, in: configuration).transfer.headers[.contentDigest]
    }

    /// The content of RFC 9530, appendix B.1, and its digest.
    private static let content = Array("{\"hello\": \"world\"}\n".utf8)
    private static let digest = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"

    @Test("is sent if the session has it sent, for a body and for parameters")
    func sent() throws {
        #expect(try field(TaskRequest(body: .json(Self.content))) == Self.digest)
        let parameters = TaskRequest(method: "POST", parameters: Self.content, requestSerializer: .json)
        #expect(try field(parameters) == Self.digest)
        #expect(SessionConfiguration(name: "other").request.contentDigest == .none)
    }

    @Test("is that of no bytes for empty content, and absent without content")
    func empty() throws {
        #expect(try field(TaskRequest(body: .text(""))) == "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:")
        #expect(try field(TaskRequest()) == nil)
    }

    @Test("is that of the compressed content")
    mutating func compressed() throws {
        configuration.request.compression.coding = .gzip
        configuration.request.compression.minBytes = 1
        let prepared = try prepare(TaskRequest(body: .json(Self.content)), in: configuration).transfer
        #expect(prepared.headers[.contentEncoding] == "gzip")
        guard case .bytes(let bytes) = prepared.body else { throw NoBytes() }
        configuration.request.compression.coding = .none
        #expect(try field(TaskRequest(body: .bytes(bytes))) == prepared.headers[.contentDigest])
    }

    @Test("is that of the plain content of a task that removes the coding")
    mutating func uncompressed() throws {
        configuration.request.compression.coding = .gzip
        configuration.request.compression.minBytes = 1
        let request = TaskRequest(headers: [TaskHeader("Content-Encoding", nil)], body: .json(Self.content))
        #expect(try field(request) == Self.digest)
    }

    private struct NoBytes: Error {}

    @Test("is not sent with a task that sets or removes the field")
    func ownField() throws {
        for value in ["md5=:AA==:", nil] {
            let request = TaskRequest(headers: [TaskHeader("content-digest", value)], body: .text(""))
            #expect(try field(request) == value)
        }
    }

    @Test("is that of a source that knows its own, and absent for others")
    func source() throws {
        let source = EmptySource(sha256: [UInt8](repeating: 0, count: 32))
        let zeros = "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:"
        #expect(try field(TaskRequest(body: .source(source))) == zeros)
        #expect(try field(TaskRequest(body: .source(EmptySource(sha256: nil)))) == nil)
    }

    @Test("is that of the content that a hook sends instead, unless the hook sets the field itself")
    func adapted() async throws {
        for (own, expected) in [(nil, Self.digest), ("md5=:AA==:", "md5=:AA==:")] {
            for body in [TransferBody.bytes(Self.content), .source(MemorySource(Self.content))] {
                let hooks = SessionHooks(adapters: [
                    .modifying { request in
                        request.body = body
                        if let own { request.headers[.contentDigest] = own }
                    }
                ])
                let (_, fields) = try await sent(TaskRequest(body: .text("hello")), hooks)
                #expect(fields == [expected])
            }
        }
    }

    // MARK: Content that is read for it

    /// Runs a request, and returns its outcome and the fields of the requests that were sent.
    private func sent(
        _ request: TaskRequest, _ hooks: SessionHooks = SessionHooks(),
        script: @escaping @Sendable (TransferRequest) -> [ScriptedTransport.Step] = { _ in [.head(200)] }
    ) async throws -> (outcome: SessionOutcome, fields: [String?]) {
        let transport = ScriptedTransport(script)
        let session = Session(configuration, transport: transport, hooks: hooks)
        let outcome = await session.run(try session.prepare(request), sink: MemorySink())
        return (outcome, transport.requests.map { $0.headers[.contentDigest] })
    }

    @Test("is computed before the content is sent if that can be read any number of times, and adapters see it")
    func computed() async throws {
        let (seen, taken) = (EventLog<String?>(), EventLog<[UInt8]>())
        let hooks = SessionHooks(adapters: [.modifying { request in seen.append(request.headers[.contentDigest]) }])
        let request = TaskRequest(body: .source(MemorySource(Self.content)))
        #expect(try field(request) == nil)
        let (outcome, fields) = try await sent(request, hooks) { request in
            guard case .source(let source) = request.body else { return [.head(500)] }
            return [.take(source, into: taken), .head(200)]
        }
        #expect(outcome.error == nil)
        #expect(fields == [Self.digest])
        #expect(seen.events == [Self.digest])
        #expect(taken.events == [Self.content], "all of the content follows it")
    }

    @Test("is that of a form whose parts can be read any number of times, and absent with another part or a throttle")
    mutating func forms() async throws {
        let repeatable = TaskPart("a", .source(MemorySource(Self.content)))
        let taken = EventLog<[UInt8]>()
        let (_, fields) = try await sent(TaskRequest(body: .parts([repeatable]))) { request in
            guard case .source(let source) = request.body else { return [.head(500)] }
            return [.take(source, into: taken), .head(200)]
        }
        let form = try #require(taken.events.first)
        #expect(try fields == [field(TaskRequest(body: .bytes(form)))])
        let stream = TaskPart("b", .source(StreamSource(AsyncStream<[UInt8]> { $0.finish() }, length: 0)))
        let (_, mixed) = try await sent(TaskRequest(body: .parts([repeatable, stream])))
        #expect(mixed == [nil])
        configuration.request.options.throttle = BandwidthThrottle()
        let (_, throttled) = try await sent(TaskRequest(body: .parts([repeatable])))
        #expect(throttled == [nil])
    }

    @Test("stays with content that a redirect sends again, and goes with content that it drops")
    func redirected() async throws {
        for (status, expected) in [(307, Self.digest), (303, nil)] as [(Int, String?)] {
            let request = TaskRequest(method: "POST", body: .source(MemorySource(Self.content)))
            let (_, fields) = try await sent(request) { request in
                request.url.path == "/" ? [.head(status, [.location: "/1"])] : [.head(200)]
            }
            #expect(fields == [Self.digest, expected])
        }
    }

    @Test("is not computed if it is not sent")
    mutating func needless() async throws {
        let removing = TaskRequest(
            headers: [TaskHeader("Content-Digest", nil)], body: .source(UnreadableSource(UnreadableSource.Broken())))
        let (removed, fields) = try await sent(removing)
        #expect(removed.error == nil)
        #expect(fields == [nil])
        configuration.request.contentDigest = .none
        let (outcome, none) = try await sent(TaskRequest(body: .source(UnreadableSource(UnreadableSource.Broken()))))
        #expect(outcome.error == nil)
        #expect(none == [nil])
    }

    @Test("of content that cannot be read fails the request, which is not sent")
    func unreadable() async throws {
        let source = UnreadableSource(UnreadableSource.Broken())
        let (outcome, fields) = try await sent(TaskRequest(body: .source(source)))
        #expect(outcome.error?.code == .transportError)
        #expect(outcome.error?.cause is UnreadableSource.Broken)
        #expect(outcome.error?.mayHaveArrived == false)
        #expect(fields.isEmpty)
    }

    @Test("is no longer computed after the attempt was canceled")
    func canceled() async throws {
        let source = UnreadableSource(nil)
        let transport = ScriptedTransport([.head(200)])
        let session = Session(configuration, transport: transport)
        let request = try session.prepare(TaskRequest(body: .source(source)))
        let control = AttemptControl()
        let running = Task { await session.run(request, sink: MemorySink(), control: control) }
        await source.begun.wait()
        control.cancel()
        let outcome = await running.value
        #expect(outcome.error == .canceled)
        #expect(transport.requests.isEmpty)
    }

    /// A source that fails, or that never has bytes.
    private final class UnreadableSource: BodySource {
        struct Broken: Error {}

        let begun = Signal<Void>()
        let failure: (any Error)?

        init(_ failure: (any Error)?) { self.failure = failure }

        var length: Int64? { 1 }
        var isRepeatable: Bool { true }
        func begin(resume: @escaping @Sendable () -> Void) { begun.send() }
        func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
            failure == nil ? .pause : .failed(TransferError(.transportError, "The source is broken"))
        }
        func rewind() -> Bool { true }
    }

    private final class EmptySource: BodySource {
        let sha256: [UInt8]?

        init(sha256: [UInt8]?) { self.sha256 = sha256 }

        var length: Int64? { 0 }
        func read(into buffer: inout OutputRawSpan) -> SourceAnswer { .end }
        func rewind() -> Bool { true }
    }
}
