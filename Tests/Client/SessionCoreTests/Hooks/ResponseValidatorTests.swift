import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("A validator of responses", .timeLimit(.hang))
struct ResponseValidatorTests {
    @Test("refuses a response that the session accepts, and is not asked about another")
    func refuses() async throws {
        let asked = EventLog<String>()
        let hooks = SessionHooks(validators: [
            .checking { response in
                asked.append(response.text ?? "")
                guard response.text == "good" else { throw OwnError(text: "secret") }
            }
        ])
        let transport = Example.transport([
            [.head(200), .text("good")], [.head(200), .text("bad")], [.head(500), .text("worse")],
        ])
        let hooked = try HookedSession(hooks, over: transport)
        #expect(try await hooked.outcome().error == nil)
        let refused = try await hooked.outcome()
        #expect(refused.error?.code == .hookFailed)
        #expect(refused.error?.cause as? OwnError == OwnError(text: "secret"))
        #expect(refused.response?.text == "bad")
        #expect(try await hooked.outcome().error?.code == .unacceptableStatus)
        #expect(asked.events == ["good", "bad"])
    }

    @Test("decides with its own error, which a retrier sees")
    func retried() async throws {
        let asked = EventLog<Void>()
        let known = SessionError(.unparsableBody, "Not yet")
        let hooked = try HookedSession(
            SessionHooks(
                retriers: [BackoffRetrier(RetryRule(listed: [.zero], jitter: 0))],
                validators: [
                    .checking { _ in
                        asked.append()
                        if asked.events.count == 1 { throw known }
                    }
                ]))
        #expect(try await hooked.outcome().error == nil)
        #expect(asked.events.count == 2)
        #expect(hooked.transport.requests.count == 2)
    }

    @Test("sees the response of one attempt without a task, too")
    func withoutTask() async throws {
        let hooked = try HookedSession(SessionHooks(validators: [.checking { _ in throw OwnError(text: "no") }]))
        let prepared = try hooked.session.prepare(TaskRequest())
        let outcome = await hooked.session.run(prepared, sink: MemorySink())
        #expect(outcome.error?.code == .hookFailed)
        #expect(outcome.response?.status == 200)
    }
}
