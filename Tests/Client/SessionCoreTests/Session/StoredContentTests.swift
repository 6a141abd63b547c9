import ErrandLocking
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("Stored content that a session reads", .timeLimit(.hang))
struct StoredContentTests {
    /// Content that signals when it is loaded, and waits until a test releases it.
    private final class Shelf: BodySink, StoredContent {
        let loading = Signal<Void>()
        let gate = Signal<Void>()
        let size: Int64

        init(size: Int64) {
            self.size = size
        }

        func begin(resume: @escaping @Sendable () -> Void) {}
        func append(_ bytes: RawSpan) -> ReceiveDecision { .more }
        func finish() async throws(TransferError) -> ReceivedBody { ReceivedBody(size: size, content: .stored(self)) }
        func discard() async {}

        func load() async throws(TransferError) -> [UInt8] {
            loading.send()
            await gate.wait()
            return Array("{}".utf8)
        }
    }

    private let session: Session

    init() throws {
        let configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://e.com/"))
        let head = ResponseHead(status: 200, headers: [.contentType: "application/json"])
        session = Session(
            configuration, transport: ScriptedTransport([.head(head)]), reading: ReadingBudget(maxBytes: 100))
    }

    private func run(_ shelf: Shelf, control: AttemptControl = AttemptControl()) throws -> Task<SessionOutcome, Never> {
        let request = try session.prepare(TaskRequest())
        return Task { await session.run(request, sink: shelf, control: control) }
    }

    @Test("waits for its share of memory, which a canceled attempt returns")
    func waits() async throws {
        let first = Shelf(size: 60)
        let running = try run(first)
        await first.loading.wait()
        let second = Shelf(size: 60)
        let control = AttemptControl()
        let waiting = try run(second, control: control)
        // There is no share for the second while the first is read: only canceling ends it.
        control.cancel()
        #expect(await waiting.value.error?.code == .canceled)
        let third = Shelf(size: 60)
        let next = try run(third)
        first.gate.send()
        #expect(await running.value.error == nil)
        await third.loading.wait()
        third.gate.send()
        #expect(await next.value.error == nil)
    }

    @Test("says that the object of a large text is omitted, without loading it")
    func text() async throws {
        var configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://e.com/"))
        configuration.response.serializer = .text
        let head = ResponseHead(status: 200, headers: [.contentType: "text/plain"])
        let session = Session(configuration, transport: ScriptedTransport([.head(head)]))
        let shelf = Shelf(size: (8 << 20) + 1)
        let outcome = await session.run(try session.prepare(TaskRequest()), sink: shelf, control: AttemptControl())
        let response = try #require(outcome.response)
        #expect(outcome.error == nil)
        #expect(response.serializer == .text)
        #expect(response.object == .none)
        #expect(response.omitsObject)
    }
}
