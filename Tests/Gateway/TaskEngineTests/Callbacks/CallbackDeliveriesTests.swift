import ErrandConfiguration
import ErrandJSON
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import ErrandWebhookSigning
import Testing

@testable import ErrandTaskEngine

@Suite("Callback deliveries")
struct CallbackDeliveriesTests {
    private let now = Timestamp(milliseconds: 1_764_000_000_500)
    private let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    private func task(_ state: TaskState, states: Set<CallbackSpecification.State>? = nil) -> TaskRecord {
        var callback = CallbackSpecification(url: "https://example.com/hook", session: nil)
        if let states { callback.states = states }
        var record = TaskRecord(
            id: TaskIDGenerator(now: { now }).next(), session: "up", kind: .data, state: state, priority: 9,
            createdAt: now, labels: ["team": "billing"],
            specification: TaskSpecification(
                task: Array("{}".utf8), request: Array(#"{"method":"GET"}"#.utf8), callback: callback.document))
        record.change { $0.finishedAt = now }
        return record
    }

    private func signing() throws -> CallbackConfiguration {
        var configuration = CallbackConfiguration()
        configuration.secrets = [try WebhookSecret(secret)]
        return configuration
    }

    @Test("The end of a task creates one delivery, queued in the session of callbacks, with the task as in lists")
    func made() throws {
        let task = task(.failed)
        let deliveries = CallbackDeliveries().deliveries(of: task, at: now)
        let delivery = try #require(deliveries.first)
        #expect(deliveries.count == 1)
        #expect(delivery.kind == .callback)
        #expect(delivery.state == .queued)
        #expect(delivery.session == "callbacks")
        #expect(delivery.parent == task.id)
        #expect(delivery.specification.callback == nil)
        let message = try CallbackMessage(document: delivery.specification.task)
        #expect(message.id == delivery.id.description)
        #expect(message.url == "https://example.com/hook")
        let body = try JSONDocument.parse(message.body)
        #expect(body.root.object?["type"]?.string == "task.failed")
        #expect(body.root.object?["timestamp"]?.string == now.description)
        let data = try #require(body.root.object?["data"])
        #expect(
            Array(body.slice(of: data)) == TaskRenderer.bytes(of: task, live: LiveTaskState(), view: .listed))
    }

    @Test("States that were not requested, unfinished tasks and deliveries themselves create none")
    func none() {
        let deliveries = CallbackDeliveries()
        #expect(deliveries.deliveries(of: task(.succeeded, states: [.failed]), at: now).isEmpty)
        for state in TaskState.allCases where !state.isTerminal {
            #expect(deliveries.deliveries(of: task(state), at: now).isEmpty)
        }
        var delivery = task(.failed)
        delivery.change { $0.kind = .callback }
        #expect(deliveries.deliveries(of: delivery, at: now).isEmpty)
        var plain = task(.failed)
        plain.change { $0.specification.callback = nil }
        #expect(deliveries.deliveries(of: plain, at: now).isEmpty)
    }

    @Test("Each attempt is signed with its own time, with the same id")
    func signed() throws {
        let delivery = try #require(CallbackDeliveries().deliveries(of: task(.canceled), at: now).first)
        let verifier = WebhookVerifier([try WebhookSecret(secret)])
        for later in [0, 3600] {
            let time = now.adding(.seconds(later))
            let request = try CallbackRequest.request(of: delivery, signing(), at: time)
            #expect(request.method == "POST")
            #expect(request.followsRedirects == false)
            let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value ?? "") })
            #expect(headers["webhook-id"] == delivery.id.description)
            #expect(headers["webhook-timestamp"] == "\(1_764_000_000 + later)")
            guard case .bytes(let body) = request.body else {
                Issue.record("the content is not in memory")
                continue
            }
            try verifier.verify(
                id: headers["webhook-id"] ?? "", timestamp: headers["webhook-timestamp"] ?? "",
                signatures: headers["webhook-signature"] ?? "", body: body, at: time.milliseconds / 1000)
        }
    }

    @Test("Without a secret nothing is sent, unless that is allowed")
    func unsigned() throws {
        let delivery = try #require(CallbackDeliveries().deliveries(of: task(.failed), at: now).first)
        var configuration = CallbackConfiguration()
        let error = #expect(throws: SessionError.self) {
            try CallbackRequest.request(of: delivery, configuration, at: now)
        }
        #expect(error?.isRetryable == true, "the secrets may be there at the next retry")
        configuration.allowsUnsigned = true
        let request = try CallbackRequest.request(of: delivery, configuration, at: now)
        #expect(!request.headers.contains { $0.name == "webhook-signature" })
    }

    @Test("A damaged message is an error")
    func damaged() throws {
        var delivery = try #require(CallbackDeliveries().deliveries(of: task(.failed), at: now).first)
        for document in ["", "{}", #"{"path":"x","headers":{},"body":{"json":1}}"#] {
            delivery.change { $0.specification.task = Array(document.utf8) }
            #expect(throws: SessionError.self) { try CallbackRequest.request(of: delivery, signing(), at: now) }
        }
    }
}
