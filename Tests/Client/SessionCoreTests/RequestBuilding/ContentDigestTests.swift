import ErrandRequestSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("The digest of the content of a request")
struct ContentDigestTests {
    var configuration: SessionConfiguration

    init() throws {
        configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://e.com/"))
        configuration.request.contentDigest = .sha256
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
            let transport = ScriptedTransport([.head(200)])
            var hooks = SessionHooks()
            hooks.adapters = [
                .modifying { request in
                    request.body = .bytes(Self.content)
                    if let own { request.headers[.contentDigest] = own }
                }
            ]
            let session = Session(configuration, transport: transport, hooks: hooks)
            _ = await session.run(try session.prepare(TaskRequest(body: .text("hello"))), sink: MemorySink())
            #expect(transport.requests.map { $0.headers[.contentDigest] } == [expected])
        }
    }

    private final class EmptySource: BodySource {
        let sha256: [UInt8]?

        init(sha256: [UInt8]?) { self.sha256 = sha256 }

        var length: Int64? { 0 }
        func read(into buffer: inout OutputRawSpan) -> SourceAnswer { .end }
        func rewind() -> Bool { true }
    }
}
