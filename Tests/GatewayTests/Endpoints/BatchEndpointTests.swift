import Configuration
import HTTPServer
import HTTPTypes
import Support
import TaskStore
import Testing
import Transfer

@testable import Gateway

@Suite("BatchEndpoint", .timeLimit(.minutes(1)))
struct BatchEndpointTests {
    private struct Batch: Decodable { var results: [Result] }

    private struct Result: Decodable {
        var status: Int
        var idempotentReplayed: Bool?
        var task: TaskDocument?
        var problem: ProblemDocument?
    }

    private func send(_ fixture: GatewayFixture, _ tasks: String, fields: [String] = []) async throws -> [Result] {
        let answer = try await fixture.answer(.post, "/v1/tasks:batch", json: #"{"tasks":[\#(tasks)]}"#, fields: fields)
        return try fixture.decode(Batch.self, of: answer).results
    }

    @Test("Each item succeeds or fails alone, in its order")
    func items() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let results = try await send(
                fixture,
                #"""
                {"session":"up","start":"suspended","labels":{"n":"0"}},{"session":"none"},7,
                {"session":"up","start":"suspended","priority":10},{"session":"up","start":"suspended","labels":{"n":"4"}}
                """#)
            #expect(results.map(\.status) == [202, 422, 422, 422, 202])
            #expect(results[1].problem?.errors?.map(\.pointer) == ["/session"])
            #expect(results[2].problem?.errors?.map(\.pointer) == [""])
            #expect(results[3].problem?.errors?.map(\.pointer) == ["/priority"])
            #expect(results[0].task?.state == "suspended")
            let ids = results.compactMap(\.task?.id)
            #expect(ids == ids.sorted(), "created in their order")
            #expect(try await fixture.store.counts().total == 2)
        }
    }

    @Test("Items have keys of their own, which single tasks share")
    func keys() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let item = #"{"session":"up","start":"suspended","idempotency_key":"a"}"#
            let first = try await send(fixture, item)
            #expect(first.map(\.status) == [202])
            let results = try await send(
                fixture, item + #",{"session":"up","start":"suspended","idempotency_key":"a","priority":1},"# + item)
            #expect(results.map(\.status) == [200, 422, 200])
            #expect(results[0].idempotentReplayed == true)
            #expect(results[0].task?.id == first[0].task?.id)
            #expect(results[1].problem?.type == "/problems/idempotency-key-reused")
            let single = try await fixture.answer(
                .post, "/v1/tasks", json: #"{"start":"suspended","session":"up"}"#, fields: ["Idempotency-Key: a"])
            #expect(single.status == .ok)
            #expect(try await fixture.store.counts().total == 1)
        }
    }

    @Test("The same new key twice in a batch makes one task")
    func keyTwice() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let item = #"{"session":"up","start":"suspended","idempotency_key":"a"}"#
            let results = try await send(fixture, "\(item),\(item)")
            #expect(results.map(\.status) == [202, 200])
            #expect(results[0].task?.id == results[1].task?.id)
        }
    }

    @Test("An item for a session that the token must not use is forbidden, and the others are not")
    func foreign() async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.auth.tokens = [.sample("limited", [.tasksWrite], sessions: ["up"])]
            configuration.sessions.append(try SessionVisibilityTests.session("other"))
        }
        try await fixture.open {
            let results = try await send(
                fixture, #"{"session":"other"},{"session":"up","start":"suspended"}"#,
                fields: [AuthConfiguration.Token.field("limited")])
            #expect(results.map(\.status) == [403, 202])
        }
    }

    @Test("A batch of nothing, or of too many, is refused, and an item that is too large is refused alone")
    func limits() async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.server.maxBatch = 2
            configuration.server.maxJSONBytes = 1024
        }
        try await fixture.open {
            for tasks in ["", "{},{},{}"] {
                let problem = try await fixture.document(
                    ProblemDocument.self, .post, "/v1/tasks:batch", json: #"{"tasks":[\#(tasks)]}"#,
                    status: .unprocessableContent)
                #expect(problem.type == "/problems/invalid-batch")
                #expect(problem.errors?.map(\.pointer) == ["/tasks"])
            }
            let long = String(repeating: "x", count: 1024)
            let results = try await send(
                fixture, #"{"session":"up","path":"\#(long)"},{"session":"up","start":"suspended"}"#)
            #expect(results.map(\.status) == [413, 202])
        }
    }
}
