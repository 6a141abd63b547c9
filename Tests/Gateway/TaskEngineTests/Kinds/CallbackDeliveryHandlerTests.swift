import ErrandConfiguration
import ErrandJSON
import ErrandSessionCore
import ErrandSupport
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import ErrandWebhookSigning
import Testing

@testable import ErrandTaskEngine

@Suite("CallbackDeliveryHandler")
struct CallbackDeliveryHandlerTests {
    private let handler = TaskKind.callback.handler
    private let now = Timestamp(milliseconds: 1_764_000_000_500)

    private func delivery(
        to url: String = "https://example.com/hook?k=v", through session: String = "callbacks"
    ) -> TaskRecord {
        let message = CallbackMessage(id: "1", url: url, body: Array("{}".utf8))
        var record = TaskRecord.sample(
            1, session: session, kind: .callback, state: .failed, priority: 3, labels: ["team": "billing"])
        record.change {
            $0.specification.task = message.document
            $0.parent = .sample(2)
        }
        return record
    }

    @Test("The request of an attempt is the message with the time of the attempt, signed with the current secrets")
    func request() async throws {
        var configuration = CallbackConfiguration()
        configuration.secrets = [try WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")]
        let sessions = try SessionCatalog.upAndCallbacks(signing: configuration)
        let request = try await handler.request(of: delivery(), sessions: sessions, .sample(), now: { now })
        #expect(request.method == "POST")
        #expect(request.path == "https://example.com/hook?k=v")
        let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value ?? "") })
        #expect(headers["webhook-id"] == "1")
        #expect(request.isJudgedByStatus && request.followsRedirects == false)
        #expect(headers["webhook-timestamp"] == "1764000000")
        #expect(headers["webhook-signature"] != nil)
        sessions.callbacks.apply(CallbackConfiguration())
        await #expect(throws: SessionError.self) {
            try await handler.request(of: delivery(), sessions: sessions, .sample(), now: { now })
        }
    }

    @Test("The destination is the origin of the receiver, unless the session has an upstream of its own")
    func destination() throws {
        #expect(handler.hasDestinations)
        let sessions = try SessionCatalog.upAndCallbacks()
        let origin = try HTTPURL("https://example.com/").origin.description
        for session in ["callbacks", "removed"] {
            #expect(
                handler.destination(of: delivery(through: session), sessions: sessions)
                    == Admission.DestinationKey(session: session, origin: origin))
        }
        #expect(handler.destination(of: delivery(through: "up"), sessions: sessions) == nil)
        #expect(handler.destination(of: delivery(to: "hook"), sessions: sessions) == nil)
        var damaged = delivery()
        damaged.change { $0.specification.task = [] }
        #expect(handler.destination(of: damaged, sessions: sessions) == nil)
    }

    @Test("Deliveries have a retry rule of their own, whatever the session's configuration")
    func retries() throws {
        #expect(try handler.retryOverrides(of: delivery()) == RetryOverrides())
        var configuration = RetryConfiguration()
        configuration.maxAttempts = 1
        #expect(handler.retryRule(under: configuration) == .callbacks)
    }

    @Test("A delivery is sent again after a crash and under a new configuration, however often it was tried")
    func sentAgain() {
        var configuration = RetryConfiguration()
        configuration.afterCrash = .fail
        var record = delivery()
        record.change { $0.attemptCount = 7 }
        #expect(handler.mayResend(record, under: configuration))
        #expect(handler.mayBeginAnew(record))
    }

    @Test("The end of a delivery makes no callbacks")
    func callbacks() {
        #expect(!handler.makesCallbacks)
    }

    @Test("A retry delivers the same message with the same identifier")
    func repetition() async throws {
        let record = delivery()
        for overrides in [nil, "{}"] {
            guard case .copied(let copy) = try await repetition(of: record, overrides) else {
                Issue.record("the delivery is not copied")
                return
            }
            #expect(copy.id != record.id)
            #expect(copy.retryOf == record.id)
            #expect(copy.parent == .sample(2))
            #expect(copy.kind == .callback && copy.state == .queued)
            #expect(copy.session == "callbacks" && copy.priority == 3 && copy.labels == ["team": "billing"])
            #expect(copy.createdAt == now)
            #expect(copy.specification == record.specification)
        }
    }

    @Test("A retry refuses members that replace those of the message")
    func overrides() async throws {
        do {
            _ = try await repetition(of: delivery(), #"{"path":"x"}"#)
            Issue.record("the member is not refused")
        } catch TaskRejection.invalid(let problems) {
            #expect(problems.map(\.pointer.description) == ["/path"])
        }
    }

    private func repetition(of record: TaskRecord, _ overrides: String?) async throws -> TaskRepetition {
        let decoder = TaskDecoder(
            sessions: try .upAndCallbacks(), caller: .anonymous, maxDepth: 16, now: { [now] in now })
        let document = try overrides.map { try JSONDocument.parse(Array($0.utf8)) }
        return try await handler.repetition(
            of: record, overrides: document, key: nil, by: decoder, ids: TaskIDGenerator())
    }
}
