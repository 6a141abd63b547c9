import ErrandHTTPServer
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("TaskEndpoints: suspend and resume", .timeLimit(.hang))
struct TaskActionsTests {
    private func paused() throws -> GatewayFixture {
        try GatewayFixture(
            transport: ScriptedTransport { _ in [.wait(ScriptedTransport.Gate())] + DispatcherFixture.response })
    }

    @Test("A task is suspended and resumed, and repeating either has no effect")
    func suspendAndResume() async throws {
        let fixture = try paused()
        try await fixture.open {
            let task = try await fixture.create()
            #expect(task.state == "running")
            let path = "/v1/tasks/\(task.id)"
            for _ in 0..<2 {
                let suspended = try await fixture.task(.post, "\(path)/suspend")
                #expect(suspended.state == "suspended")
                #expect(suspended.revision == 2)
            }
            for _ in 0..<2 {
                let resumed = try await fixture.task(.post, "\(path)/resume", json: "{}")
                #expect(resumed.state == "running")
                #expect(resumed.revision == 3)
            }
            let canceled = try await fixture.task(.post, "\(path)/cancel")
            #expect(canceled.state == "canceled")
            for action in ["suspend", "resume"] {
                let problem = try await fixture.document(
                    ProblemDocument.self, .post, "\(path)/\(action)", status: .conflict)
                #expect(problem.type == "/problems/wrong-state")
                let past = action == "resume" ? "resumed" : "suspended"
                #expect(
                    problem.detail == """
                        the task is canceled; only a task that is neither finished nor being canceled can be \(past)
                        """)
            }
        }
    }

    @Test("run-now of a task that must do something else first names that, and cancel says that the end is final")
    func remedies() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let suspended = try await fixture.create(#","start":"suspended""#)
            let resume = try await fixture.document(
                ProblemDocument.self, .post, "/v1/tasks/\(suspended.id)/run-now", status: .conflict)
            #expect(resume.detail == "the task is suspended: resume it first")
            let upload = try await fixture.create(#","kind":"upload","body":{"content":"later"}"#)
            let send = try await fixture.document(
                ProblemDocument.self, .post, "/v1/tasks/\(upload.id)/run-now", status: .conflict)
            #expect(
                send.detail == "the task waits for its content: send it with PUT /v1/tasks/\(upload.id)/content")
            let retry = try await fixture.document(
                ProblemDocument.self, .post, "/v1/tasks/\(upload.id)/retry", status: .conflict)
            #expect(retry.detail == "the task is scheduled; only a finished task can be retried")
            _ = try await fixture.task(.post, "/v1/tasks/\(suspended.id)/resume")
            #expect(try await fixture.task(.get, "/v1/tasks/\(suspended.id)?wait=1d").state == "succeeded")
            let cancel = try await fixture.document(
                ProblemDocument.self, .post, "/v1/tasks/\(suspended.id)/cancel", status: .conflict)
            #expect(cancel.detail == "the task already succeeded; a finished task cannot be canceled")
        }
    }

    @Test("A task created suspended is sent once it is resumed")
    func createdSuspended() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            #expect(task.state == "suspended")
            #expect(task.hold == nil)
            #expect(fixture.transport.requests.isEmpty)
            _ = try await fixture.task(.post, "/v1/tasks/\(task.id)/resume")
            #expect(try await fixture.task(.get, "/v1/tasks/\(task.id)?wait=1d").state == "succeeded")
        }
    }

    @Test("Options and unknown tasks are refused")
    func faults() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create()
            for action in ["suspend", "resume", "cancel"] {
                let problem = try await fixture.document(
                    ProblemDocument.self, .post, "/v1/tasks/\(task.id)/\(action)", json: #"{"now":true}"#,
                    status: .unprocessableContent)
                #expect(problem.type == "/problems/invalid-options")
                #expect(problem.errors?.map(\.pointer) == ["/now"])
                for id in ["x", "01a1fc90-912e-7056-b47a-be14b2548d65"] {
                    #expect(try await fixture.response(.post, "/v1/tasks/\(id)/\(action)").status == .notFound)
                }
            }
        }
    }

    @Test("A store failure is reported, and the action has no effect")
    func storeFails() async throws {
        let fixture = try paused()
        try await fixture.open {
            let task = try await fixture.create()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .update = operation { throw TaskStoreError(.diskFull, "Full") }
            }
            #expect(
                try await fixture.response(.post, "/v1/tasks/\(task.id)/suspend").status == .serviceUnavailable)
            fixture.store.intervene(nil)
            #expect(try await fixture.task(.get, "/v1/tasks/\(task.id)").state == "running")
            _ = try await fixture.response(.post, "/v1/tasks/\(task.id)/cancel")
        }
    }

    @Test("A queued task reports its wait reason, and other tasks none")
    func hold() async throws {
        let fixture = try GatewayFixture(
            session: DispatcherFixture.configuration(concurrent: 1),
            transport: ScriptedTransport { _ in [.wait(ScriptedTransport.Gate())] + DispatcherFixture.response })
        try await fixture.open {
            let running = try await fixture.create()
            let queued = try await fixture.create()
            #expect(running.hold == nil)
            #expect(queued.hold == "concurrency")
            _ = try await fixture.response(.post, "/v1/sessions/up/suspend")
            #expect(try await fixture.task(.get, "/v1/tasks/\(queued.id)").hold == "session_suspended")
            for task in [queued, running] { _ = try await fixture.response(.post, "/v1/tasks/\(task.id)/cancel") }
            #expect(try await fixture.task(.get, "/v1/tasks/\(queued.id)").hold == nil)
        }
    }
}
