import Configuration
import HTTPServer
import HTTPTypes
import Locking
import Support
import TaskStore
import Testing
import Transfer

@testable import Gateway

@Suite("BulkEndpoints", .timeLimit(.minutes(1)))
struct BulkEndpointsTests {
    private struct Counts: Decodable, Equatable {
        var matched: Int
        var changed: Int
    }

    private func call(
        _ fixture: GatewayFixture, _ action: String, _ filter: String, token: String? = nil
    ) async throws -> Counts {
        let answer = try await fixture.answer(
            .post, "/v1/tasks:\(action)", json: filter, fields: token.map { [AuthConfiguration.Token.field($0)] } ?? [])
        return try fixture.decode(Counts.self, of: answer)
    }

    private func create(_ fixture: GatewayFixture, count: Int, _ members: String = "") async throws -> [TaskDocument] {
        var tasks: [TaskDocument] = []
        for _ in 0..<count { tasks.append(try await fixture.create(#","start":"suspended""# + members)) }
        return tasks
    }

    @Test("Everything that a filter matches is changed, once, and nothing else")
    func cancel() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            _ = try await create(fixture, count: 3, #","labels":{"team":"a"}"#)
            let other = try await create(fixture, count: 1, #","labels":{"team":"b"}"#)
            let filter = #"{"labels":{"team":"a"}}"#
            #expect(try await call(fixture, "cancel", filter) == Counts(matched: 3, changed: 3))
            #expect(try await call(fixture, "cancel", filter) == Counts(matched: 3, changed: 0))
            #expect(try await fixture.task(.get, "/v1/tasks/\(other[0].id)").state == "suspended")
            #expect(try await fixture.store.counts()[.canceled] == 3)
        }
    }

    @Test("More tasks than a page has are all reached")
    func pages() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let item = #"{"session":"up","start":"suspended"}"#
            for _ in 0..<3 {
                let batch = Array(repeating: item, count: 500).joined(separator: ",")
                let answer = try await fixture.answer(.post, "/v1/tasks:batch", json: #"{"tasks":[\#(batch)]}"#)
                #expect(answer.status == .ok)
            }
            let canceled = try await call(fixture, "cancel", #"{"state":"suspended"}"#)
            #expect(canceled == Counts(matched: 1500, changed: 1500))
            let deleted = try await call(fixture, "delete", #"{"session":"up"}"#)
            #expect(deleted == Counts(matched: 1500, changed: 1500))
            #expect(try await fixture.store.counts().total == 0)
        }
    }

    @Test("Tasks are suspended, resumed and deleted, by their identifiers too")
    func actions() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let tasks = try await create(fixture, count: 2, #","delay":"1d""#)
            let ids = #"{"ids":["\#(tasks[0].id)","\#(tasks[1].id)","\#(TaskID.sample(1))"]}"#
            #expect(try await call(fixture, "suspend", ids) == Counts(matched: 2, changed: 0))
            #expect(try await call(fixture, "resume", ids) == Counts(matched: 2, changed: 2))
            #expect(try await fixture.task(.get, "/v1/tasks/\(tasks[0].id)").state == "scheduled")
            #expect(try await call(fixture, "suspend", #"{"state":["scheduled"]}"#) == Counts(matched: 2, changed: 2))
            #expect(try await call(fixture, "delete", ids) == Counts(matched: 2, changed: 2))
        }
    }

    @Test("Finished tasks are made again, each once, and those that this makes are not among them")
    func retry() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let tasks = try await create(fixture, count: 2)
            _ = try await create(fixture, count: 1)
            for task in tasks { _ = try await fixture.answer(.post, "/v1/tasks/\(task.id)/cancel") }
            #expect(try await call(fixture, "retry", #"{"session":"up"}"#) == Counts(matched: 3, changed: 2))
            #expect(try await fixture.store.counts().total == 5)
        }
    }

    @Test("A token reaches the tasks of its sessions only, whatever it names")
    func visibility() async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.auth.tokens = [
                .sample("limited", [.tasksWrite], sessions: ["other"]), .sample("all", [.tasksWrite, .tasksRead]),
            ]
            configuration.sessions.append(try SessionVisibilityTests.session("other"))
        }
        try await fixture.open {
            let created = try await fixture.answer(
                .post, "/v1/tasks", json: #"{"session":"up","start":"suspended"}"#,
                fields: [AuthConfiguration.Token.field("all")])
            let id = try #require(created.headers[.location]?.split(separator: "/").last)
            for filter in [#"{"session":"up"}"#, #"{"state":"suspended"}"#, #"{"ids":["\#(id)"]}"#] {
                #expect(try await call(fixture, "cancel", filter, token: "limited") == Counts(matched: 0, changed: 0))
            }
            #expect(
                try await call(fixture, "cancel", #"{"session":"up"}"#, token: "all") == Counts(matched: 1, changed: 1))
        }
    }

    @Test("A call without a filter is refused, whatever it is for")
    func noFilter() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            for action in ["cancel", "suspend", "resume", "retry", "delete"] {
                for json in [nil, "{}"] {
                    let problem = try await fixture.document(
                        ProblemDocument.self, .post, "/v1/tasks:\(action)", json: json, status: .unprocessableContent)
                    #expect(problem.type == "/problems/invalid-options")
                }
            }
        }
    }

    @Test("A store that fails half-way is told, with what was done before")
    func storeFails() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            _ = try await create(fixture, count: 3)
            let updates = Mutex(0)
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update = operation else { return }
                let number = updates.withLock { updates in
                    updates += 1
                    return updates
                }
                if number > 1 { throw TaskStoreError(.diskFull, "Full") }
            }
            let answer = try await fixture.answer(.post, "/v1/tasks:cancel", json: #"{"session":"up"}"#)
            #expect(answer.status == .serviceUnavailable)
            #expect(answer.text.contains(#""changed":1"#))
            fixture.store.intervene(nil)
        }
    }
}
