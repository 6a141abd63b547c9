import ErrandConfiguration
import ErrandHTTPServer
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("TaskEndpoints: retry", .timeLimit(.hang))
struct TaskEndpointsRetryTests {
    /// Creates a task and returns it when it is finished.
    private func finished(_ fixture: GatewayFixture, _ members: String = "") async throws -> TaskDocument {
        let task = try await fixture.create(#","start":"suspended""# + members)
        return try await fixture.task(.post, "/v1/tasks/\(task.id)/cancel")
    }

    @Test("A retry copies the current task, without its times and its key")
    func again() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let document = """
                {"session":"up","path":"a","labels":{"a":"1"},"start":"suspended","delay":"1d",
                "deadline":"2999-01-01T00:00:00Z","ordering_key":"k"}
                """
            let created = try await fixture.response(
                .post, "/v1/tasks", json: document, fields: ["Idempotency-Key: once"])
            let path = try #require(created.headers[.location])
            _ = try await fixture.response(
                .patch, path, json: #"{"priority":8,"labels":{"b":"2"}}"#, type: "application/merge-patch+json")
            _ = try await fixture.response(.post, path + "/cancel")
            let response = try await fixture.response(.post, path + "/retry")
            #expect(response.status == .accepted)
            let location = try #require(response.headers[.location])
            #expect(location != path)
            #expect(response.text.contains(#""retry_of":"\#(path.split(separator: "/").last ?? "")""#))
            #expect(response.text.contains(#""labels":{"a":"1","b":"2"},"priority":8,"ordering_key":"k""#))
            #expect(response.text.contains(#""not_before":null"#))
            #expect(response.text.contains(#""deadline":null"#))
            #expect(try await fixture.task(.get, location + "?wait=1d").state == "succeeded")
            #expect(fixture.transport.requests.map(\.url.string) == ["http://upstream.example/a"])
        }
    }

    @Test("A retry has the transfer rate limit that the task had at last")
    func rate() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended","bytes_per_second":4096"#)
            let path = "/v1/tasks/\(task.id)"
            let created = try await fixture.response(.get, path).text
            #expect(created.contains(#""ordering_key":null,"bytes_per_second":4096,"#))
            for (edit, limit) in [("8192", "8192"), ("null", "null")] {
                _ = try await fixture.response(
                    .patch, path, json: #"{"bytes_per_second":\#(edit)}"#, type: "application/merge-patch+json")
                let ended = try await fixture.response(.get, path).text
                #expect(ended.contains(#""ordering_key":null,"bytes_per_second":\#(limit),"#))
            }
            _ = try await fixture.response(
                .patch, path, json: #"{"bytes_per_second":2048}"#, type: "application/merge-patch+json")
            _ = try await fixture.response(.post, path + "/cancel")
            let again = try await fixture.response(.post, path + "/retry", json: #"{"start":"suspended"}"#)
            #expect(again.text.contains(#""ordering_key":null,"bytes_per_second":2048,"#))
            let other = try await fixture.response(
                .post, path + "/retry", json: #"{"start":"suspended","bytes_per_second":null}"#)
            #expect(other.text.contains(#""ordering_key":null,"bytes_per_second":null,"#))
        }
    }

    @Test("A retry waits for the end of the new task, as a create does")
    func wait() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await finished(fixture, #","path":"a""#)
            let target = "/v1/tasks/\(task.id)/retry"
            let done = try await fixture.response(.post, target + "?wait=1d")
            #expect(try done.document(TaskDocument.self).state == "succeeded")
            let preferred = try await fixture.response(.post, target, fields: ["Prefer: wait=60"])
            #expect(try preferred.document(TaskDocument.self).state == "succeeded")
            #expect(preferred.headers[.preferenceApplied] == "wait=60")
            let late = try await fixture.response(.post, target + "?wait=0", json: #"{"start":"suspended"}"#)
            #expect(try late.document(TaskDocument.self, status: .accepted).state == "suspended")
            #expect(late.headers[.location] != nil)
            let problem = try await fixture.document(
                ProblemDocument.self, .post, target + "?wait=fast", status: .badRequest)
            #expect(problem.detail == #"wait: expected a duration such as 30s, found "fast""#)
        }
    }

    @Test("Members of the content replace the old ones, and null removes them")
    func overrides() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await finished(fixture, #","path":"a","parameters":{"x":1},"method":"POST""#)
            let response = try await fixture.response(
                .post, "/v1/tasks/\(task.id)/retry",
                json: #"{"path":"b","parameters":null,"body":{"text":"y"},"start":"suspended","labels":{}}"#)
            #expect(response.status == .accepted)
            #expect(response.text.contains(#""url":"http://upstream.example/b""#))
            #expect(response.text.contains(#""state":"suspended""#))
            let problem = try await fixture.document(
                ProblemDocument.self, .post, "/v1/tasks/\(task.id)/retry", json: #"{"body":{"text":"y"},"x":1}"#,
                status: .unprocessableContent)
            #expect(problem.errors?.map(\.pointer).contains("/x") == true)
        }
    }

    @Test("An unfinished task is not retried")
    func early() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            #expect(try await fixture.response(.post, "/v1/tasks/\(task.id)/retry").status == .conflict)
            #expect(try await fixture.response(.post, "/v1/tasks/\(TaskID.sample(1))/retry").status == .notFound)
        }
    }

    @Test("A retry has an idempotency key like a new task")
    func key() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await finished(fixture)
            let path = "/v1/tasks/\(task.id)/retry"
            let first = try await fixture.response(.post, path, fields: ["Idempotency-Key: again"])
            let second = try await fixture.response(.post, path, fields: ["Idempotency-Key: again"])
            #expect(first.status == .accepted)
            #expect(second.status == .ok)
            #expect(second.headers[.location] == first.headers[.location])
        }
    }

    @Test("The session cannot be replaced by one without access")
    func foreign() async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.auth.tokens = [.sample("limited", [.tasksWrite], sessions: ["up"])]
            configuration.sessions.append(try SessionConfiguration.sample("other"))
        }
        try await fixture.open {
            let field = AuthConfiguration.Token.field("limited")
            let created = try await fixture.response(
                .post, "/v1/tasks", json: #"{"session":"up","start":"suspended"}"#, fields: [field])
            let path = try #require(created.headers[.location])
            _ = try await fixture.response(.post, path + "/cancel", fields: [field])
            let response = try await fixture.response(
                .post, path + "/retry", json: #"{"session":"other"}"#, fields: [field])
            #expect(response.status == .forbidden)
        }
    }

    @Test("A callback delivery is retried unchanged, and accepts no members")
    func delivery() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            var record = TaskRecord.sample(1, session: "up", state: .failed)
            record = TaskRecord(
                id: record.id, session: "up", kind: .callback, state: .failed, priority: 5, createdAt: record.createdAt,
                labels: [:], specification: record.specification)
            record.change { $0.parent = .sample(2) }
            _ = try await fixture.store.insert(NewTask(record))
            let path = "/v1/tasks/\(record.id)/retry"
            #expect(try await fixture.response(.post, path, json: #"{"path":"x"}"#).status == .unprocessableContent)
            let response = try await fixture.response(.post, path, json: "{}")
            #expect(response.status == .accepted)
            #expect(response.text.contains(#""kind":"callback""#))
            #expect(
                response.text.contains(
                    #""retry_of":"\#(record.id)","retried_by":null,"parent":"\#(TaskID.sample(2))""#))
            // With a key, a repeated call creates no other task.
            let key = ["Idempotency-Key: again"]
            let first = try await fixture.response(.post, path, json: "{}", fields: key)
            #expect(first.status == .accepted)
            let second = try await fixture.response(.post, path, json: "{}", fields: key)
            #expect(second.status == .ok)
            #expect(second.headers[.idempotentReplayed] == "true")
            #expect(second.headers[.location] == first.headers[.location])
        }
    }
}
