import ErrandHTTPServer
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("SessionEndpoints", .timeLimit(.hang))
struct SessionEndpointsTests {
    typealias Gate = ScriptedTransport.Gate

    /// A gateway with one slot whose upstream responds when the gate is open.
    private func paused(_ gate: Gate, folder: GatewayFolder? = nil) throws -> GatewayFixture {
        try GatewayFixture(
            folder: folder, session: DispatcherFixture.configuration(concurrent: 1),
            transport: ScriptedTransport { _ in [.wait(gate)] + DispatcherFixture.response })
    }

    private func session(_ fixture: GatewayFixture) async throws -> SessionView {
        try await fixture.document(SessionView.self, .get, "/v1/sessions/up")
    }

    private func state(_ task: TaskDocument, _ fixture: GatewayFixture) async throws -> String {
        try await fixture.task(.get, "/v1/tasks/\(task.id)?wait=1d").state
    }

    @Test("A session is read with its state, its tasks and the state of its upstream")
    func read() async throws {
        let gate = Gate()
        let fixture = try paused(gate)
        try await fixture.open {
            let running = try await fixture.create()
            _ = try await fixture.create(#","start":"suspended""#)
            let session = try await session(fixture)
            #expect(session.name == "up")
            #expect(session.state == "open")
            #expect(session.acceptsTasks)
            #expect(session.inFlight == 1)
            #expect(session.tasks["running"] == 1)
            #expect(session.tasks["suspended"] == 1)
            #expect(session.reachability == "unknown")
            #expect(session.connections == nil, "a scripted transport has no connections")
            gate.open()
            #expect(try await state(running, fixture) == "succeeded")
            #expect(try await self.session(fixture).reachability == "reachable")
            let list = try await fixture.response(.get, "/v1/sessions").text
            #expect(list.hasPrefix(#"{"sessions":[{"name":"up","#))
        }
    }

    @Test("While a session is suspended no task starts and running ones continue, also after a restart")
    func suspend() async throws {
        let gate = Gate()
        let fixture = try paused(gate)
        try await fixture.gateway.open()
        let running = try await fixture.create()
        #expect(try await fixture.document(SessionView.self, .post, "/v1/sessions/up/suspend").state == "suspended")
        let queued = try await fixture.create()
        gate.open()
        #expect(try await state(running, fixture) == "succeeded")
        let fresh = try await fixture.create()
        #expect(fresh.state == "queued", "a slot is free")
        #expect(fresh.hold == "session_suspended")
        #expect(fixture.transport.requests.count == 1)
        await fixture.close()

        let next = try GatewayFixture(folder: fixture.folder)
        try await next.open {
            let suspended = try await session(next)
            #expect(suspended.state == "suspended")
            #expect(try await next.task(.get, "/v1/tasks/\(queued.id)").hold == "session_suspended")
            #expect(next.transport.requests.isEmpty)
            #expect(try await next.document(SessionView.self, .post, "/v1/sessions/up/resume").state == "open")
            #expect(try await state(queued, next) == "succeeded")
            #expect(try await state(fresh, next) == "succeeded")
        }
    }

    @Test("A purge cancels all waiting tasks, however many, and no running ones")
    func purge() async throws {
        let gate = Gate()
        let fixture = try paused(gate)
        try await fixture.open {
            let running = try await fixture.create()
            var waiting: [TaskDocument] = []
            for number in 0..<230 {
                waiting.append(try await fixture.create(number.isMultiple(of: 2) ? #","start":"suspended""# : ""))
            }
            let purged = try await fixture.document(CanceledView.self, .post, "/v1/sessions/up/purge")
            #expect(purged.canceled == 230)
            #expect(purged.session.tasks["canceled"] == 230)
            #expect(purged.session.inFlight == 1)
            for task in waiting { #expect(try await state(task, fixture) == "canceled") }
            gate.open()
            #expect(try await state(running, fixture) == "succeeded")
            #expect(try await fixture.document(CanceledView.self, .post, "/v1/sessions/up/purge").canceled == 0)
            #expect(try await state(fixture.create(), fixture) == "succeeded", "later tasks run")
        }
    }

    @Test("An invalidated session accepts no tasks, completes those it has, and opens again with a reset")
    func drain() async throws {
        let gate = Gate()
        let fixture = try paused(gate)
        try await fixture.gateway.open()
        let running = try await fixture.create()
        let queued = try await fixture.create()
        let closed = try await fixture.document(CanceledView.self, .post, "/v1/sessions/up/invalidate")
        #expect(closed.canceled == 0)
        #expect(closed.session.state == "draining")
        #expect(!closed.session.acceptsTasks)
        let refused = try await fixture.document(
            ProblemDocument.self, .post, "/v1/tasks", json: #"{"session":"up"}"#, status: .conflict)
        #expect(refused.type == "/problems/session-closed")
        #expect(
            refused.detail == """
                the session up was closed by an operator; POST /v1/sessions/up/invalidate with {"reset": true} opens \
                it again
                """)
        gate.open()
        #expect(try await state(running, fixture) == "succeeded")
        #expect(try await state(queued, fixture) == "succeeded")
        #expect(try await session(fixture).state == "closed")
        await fixture.close()

        let next = try GatewayFixture(folder: fixture.folder)
        try await next.open {
            #expect(try await session(next).state == "closed")
            #expect(try await next.response(.post, "/v1/tasks", json: #"{"session":"up"}"#).status == .conflict)
            let reset = try await next.document(
                CanceledView.self, .post, "/v1/sessions/up/invalidate", json: #"{"reset":true}"#)
            #expect(reset.session.state == "open")
            #expect(try await state(next.create(), next) == "succeeded")
        }
    }

    @Test("An invalidation that cancels ends all waiting and all running tasks")
    func cancelAll() async throws {
        let fixture = try GatewayFixture(
            session: DispatcherFixture.configuration(concurrent: 3),
            transport: ScriptedTransport { _ in [.wait(Gate())] + DispatcherFixture.response })
        try await fixture.open {
            var tasks: [TaskDocument] = []
            for _ in 0..<120 { tasks.append(try await fixture.create()) }
            _ = try await fixture.response(.post, "/v1/tasks/\(tasks[0].id)/suspend")
            let response = try await fixture.document(
                CanceledView.self, .post, "/v1/sessions/up/invalidate", json: #"{"cancel_pending":true,"reset":true}"#)
            #expect(response.canceled == 120)
            for task in tasks { #expect(try await state(task, fixture) == "canceled") }
            #expect(try await session(fixture).state == "open")
            #expect(try await session(fixture).inFlight == 0)
            #expect(fixture.transport.requests.count <= 3, "no task was started meanwhile")
        }
    }

    @Test("Options are true or false; an unknown option is refused with a suggestion")
    func faults() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let wrong = try await fixture.document(
                ProblemDocument.self, .post, "/v1/sessions/up/invalidate", json: #"{"reset":1,"cancel_pendin":true}"#,
                status: .unprocessableContent)
            #expect(wrong.type == "/problems/invalid-options")
            #expect(wrong.errors?.map(\.pointer) == ["/reset", "/cancel_pendin"])
            #expect(wrong.errors?.last?.detail.contains("cancel_pending") == true)
            for action in ["suspend", "resume", "purge"] {
                let path = "/v1/sessions/up/\(action)"
                #expect(try await fixture.response(.post, path, json: #"{"x":1}"#).status == .unprocessableContent)
                #expect(try await fixture.response(.post, path, json: "{").status == .badRequest)
                #expect(try await fixture.response(.get, path).status == .methodNotAllowed)
                #expect(try await fixture.response(.post, "/v1/sessions/none/\(action)").status == .notFound)
            }
            #expect(try await session(fixture).state == "open")
        }
    }

    @Test("An operation that cannot be stored is not performed")
    func storeFails() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .setSessionControlState = operation { throw TaskStoreError(.diskFull, "Full") }
            }
            for call in ["suspend", "invalidate"] {
                #expect(try await fixture.response(.post, "/v1/sessions/up/\(call)").status == .serviceUnavailable)
            }
            fixture.store.intervene(nil)
            let session = try await session(fixture)
            #expect(session.state == "open")
            #expect(try await state(fixture.create(), fixture) == "succeeded")
        }
    }
}
