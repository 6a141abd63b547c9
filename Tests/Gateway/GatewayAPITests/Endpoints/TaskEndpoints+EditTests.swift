import ErrandHTTPServer
import ErrandLocking
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("TaskEndpoints: PATCH and run-now", .timeLimit(.hang))
struct TaskEndpointsEditTests {
    private static let type = "application/merge-patch+json"

    private func edit(
        _ fixture: GatewayFixture, _ id: String, _ patch: String, fields: [String] = [], type: String = Self.type
    ) async throws -> ServerResponse {
        try await fixture.response(.patch, "/v1/tasks/\(id)", json: patch, fields: fields, type: type)
    }

    @Test("A task that has not started is changed, and its watchers see the new revision")
    func pending() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended","labels":{"a":"1","b":"2"}"#)
            let response = try await edit(
                fixture, task.id, #"{"priority":9,"labels":{"a":null,"c":"3"},"deadline":"2999-01-01T00:00:00Z"}"#)
            #expect(response.status == .ok)
            #expect(response.headers[.eTag] == "\"r2\"")
            #expect(response.text.contains(#""labels":{"b":"2","c":"3"},"priority":9"#))
            #expect(response.text.contains(#""deadline":"2999-01-01T00:00:00.000Z""#))
            #expect(try await edit(fixture, task.id, "{}").headers[.eTag] == "\"r2\"", "nothing has changed")
        }
    }

    @Test("With If-Match only the revision that the client knows is changed")
    func precondition() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            #expect(try await edit(fixture, task.id, #"{"priority":1}"#, fields: ["If-Match: \"r1\""]).status == .ok)
            let late = try await edit(fixture, task.id, #"{"priority":2}"#, fields: ["If-Match: \"r1\""])
            #expect(late.status == .preconditionFailed)
            #expect(late.headers[.eTag] == "\"r2\"")
            let several = ["If-Match: \"r7\"", "If-Match: \"r2\""]
            #expect(try await edit(fixture, task.id, #"{"priority":2}"#, fields: several).status == .ok)
            #expect(try await edit(fixture, task.id, "{}", fields: ["If-Match: r3"]).status == .badRequest)
        }
    }

    @Test("If-Match protects a task from other commands too, and from its removal")
    func preconditionOfCommands() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            let path = "/v1/tasks/\(task.id)"
            let stale = ["If-Match: \"r9\""]
            for action in ["cancel", "suspend", "resume", "run-now", "retry"] {
                let refused = try await fixture.response(.post, "\(path)/\(action)", fields: stale)
                #expect(refused.status == .preconditionFailed, "\(action)")
                #expect(refused.headers[.eTag] == "\"r1\"")
            }
            let refused = try await fixture.response(.delete, path, fields: stale)
                .document(ProblemDocument.self, status: .preconditionFailed)
            #expect(refused.detail == "If-Match does not name the task as it is, at revision 1: read it again")
            #expect(try await fixture.response(.delete, path, fields: ["If-Match: r1"]).status == .badRequest)
            #expect(try await fixture.response(.post, "\(path)/cancel", fields: ["If-Match: \"r1\""]).status == .ok)
            #expect(try await fixture.response(.delete, path, fields: ["If-Match: \"r2\""]).status == .noContent)
        }
    }

    @Test("With If-None-Match a task is not changed at a revision that the client names, by no command")
    func negatedPrecondition() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            let path = "/v1/tasks/\(task.id)"
            for current in ["If-None-Match: \"r1\"", "If-None-Match: *"] {
                for action in ["cancel", "suspend", "resume", "run-now", "retry"] {
                    let refused = try await fixture.response(.post, "\(path)/\(action)", fields: [current])
                    #expect(refused.status == .preconditionFailed, "\(action)")
                    #expect(refused.headers[.eTag] == "\"r1\"")
                }
                let edited = try await edit(fixture, task.id, #"{"priority":1}"#, fields: [current])
                    .document(ProblemDocument.self, status: .preconditionFailed)
                #expect(edited.detail == "If-None-Match excludes the task as it is, at revision 1")
                #expect(try await fixture.response(.delete, path, fields: [current]).status == .preconditionFailed)
            }
            #expect(try await fixture.task(.get, path).revision == 1)
            let malformed = ["If-None-Match: r1"]
            #expect(try await edit(fixture, task.id, "{}", fields: malformed).status == .badRequest)
            #expect(try await fixture.response(.delete, path, fields: malformed).status == .badRequest)
            let other = ["If-None-Match: \"r9\""]
            #expect(try await edit(fixture, task.id, #"{"priority":1}"#, fields: other).status == .ok)
            #expect(try await fixture.response(.post, "\(path)/cancel", fields: other).status == .ok)
            #expect(try await fixture.response(.delete, path, fields: other).status == .noContent)
        }
    }

    @Test("Other content than a merge patch is refused with the accepted type, which OPTIONS reports too")
    func types() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            let response = try await edit(fixture, task.id, "{}", type: "application/json")
            #expect(response.status == .unsupportedMediaType)
            #expect(response.headers[.acceptPatch] == Self.type)
            let options = try await fixture.response(.options, "/v1/tasks/\(task.id)")
            #expect(options.headers[.acceptPatch] == Self.type)
            #expect(options.headers[.allow]?.contains("PATCH") == true)
            #expect(try await fixture.response(.options, "/v1/tasks").headers[.acceptPatch] == nil)
        }
    }

    @Test("Finished tasks, invalid patches and missing tasks are refused")
    func refusals() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            let problem = try await edit(fixture, task.id, #"{"path":"b","priority":"x"}"#)
                .document(ProblemDocument.self, status: .unprocessableContent)
            #expect(problem.type == "/problems/invalid-edit")
            #expect(problem.errors?.map(\.pointer) == ["/priority", "/path"])
            _ = try await fixture.response(.post, "/v1/tasks/\(task.id)/cancel")
            #expect(try await edit(fixture, task.id, #"{"priority":1}"#).status == .conflict)
            #expect(try await edit(fixture, TaskID.sample(1).description, "{}").status == .notFound)
        }
    }

    @Test("Of two changes of the same revision that are not valid together, the second is refused as invalid")
    func together() async throws {
        let fixture = try GatewayFixture()
        let (reached, goOn) = (Signal<Void>(), Signal<Void>())
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            let id = try #require(TaskID(task.id))
            let now = Timestamp.now()
            let (deadline, start) = (now.adding(.seconds(3600)), now.adding(.seconds(7200)))
            fixture.store.intervene { operation in
                guard case .update = operation else { return }
                reached.send()
                await goOn.wait()
            }
            async let first = edit(fixture, task.id, #"{"deadline":"\#(deadline)"}"#)
            await reached.wait()
            async let second = edit(fixture, task.id, #"{"not_before":"\#(start)"}"#)
            try await until {
                fixture.gateway.dispatcher.state.withLock { $0.live[id]?.waiting.isEmpty == false }
            }
            goOn.send()
            let (accepted, refused) = try await (first, second)
            #expect(accepted.status == .ok)
            let problem = try refused.document(ProblemDocument.self, status: .unprocessableContent)
            #expect(problem.type == "/problems/invalid-edit")
            #expect(problem.errors?.map(\.pointer) == ["/not_before"])
        }
    }

    @Test("The start of a task under way cannot be changed, and the problem says so")
    func startOfRunning() async throws {
        let gate = ScriptedTransport.Gate()
        let transport = ScriptedTransport { _ in [.wait(gate)] + DispatcherFixture.response }
        let fixture = try GatewayFixture(transport: transport)
        try await fixture.open {
            let task = try await fixture.create()
            #expect(task.state == "running")
            for value in ["null", "\"\(Timestamp.now().adding(.seconds(60)))\""] {
                let problem = try await edit(fixture, task.id, #"{"not_before":\#(value),"priority":1}"#)
                    .document(ProblemDocument.self, status: .conflict)
                #expect(problem.type == "/problems/wrong-state")
                #expect(
                    problem.detail?.hasPrefix("the task is running, and not_before cannot be changed during an attempt")
                        == true)
            }
            #expect(try await edit(fixture, task.id, #"{"priority":1}"#).status == .ok)
            gate.open()
            #expect(try await fixture.task(.get, "/v1/tasks/\(task.id)?wait=1d").state == "succeeded")
            let ended = try await edit(fixture, task.id, #"{"not_before":null}"#)
                .document(ProblemDocument.self, status: .conflict)
            #expect(
                ended.detail == """
                    the task already succeeded; only a task that is neither finished nor being canceled can be changed
                    """)
        }
    }

    @Test("run-now starts a scheduled task, and refuses a finished one")
    func runNow() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","delay":"300d""#)
            #expect(task.state == "scheduled")
            let started = try await fixture.task(.post, "/v1/tasks/\(task.id)/run-now")
            #expect(started.state == "queued" || started.state == "running" || started.state == "succeeded")
            #expect(try await fixture.task(.get, "/v1/tasks/\(task.id)?wait=1d").state == "succeeded")
            #expect(try await fixture.response(.post, "/v1/tasks/\(task.id)/run-now").status == .conflict)
        }
    }
}
