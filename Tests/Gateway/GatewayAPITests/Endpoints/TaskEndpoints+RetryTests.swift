import ErrandAuthentication
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
            let ended = try done.document(TaskDocument.self)
            #expect(ended.state == "succeeded")
            #expect(done.headers[.location] == "/v1/tasks/\(ended.id)")
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

    @Test("A null is refused for a name that a task does not have, as in a create, and has no effect for others")
    func nullOverrides() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            // A finished task whose stored document has the key of its item.
            let batch = try await fixture.response(
                .post, "/v1/tasks:batch",
                json: #"{"tasks":[{"session":"up","path":"a","start":"suspended","idempotency_key":"k"}]}"#)
            #expect(batch.text.contains(#""status":202"#))
            let tasks = try await fixture.store.tasks(TaskQuery()).tasks
            let task = try #require(tasks.first)
            let target = "/v1/tasks/\(task.id)"
            _ = try await fixture.response(.post, target + "/cancel")
            for name in ["calback", "url", "download", "idempotency_key"] {
                let created = try await fixture.document(
                    ProblemDocument.self, .post, "/v1/tasks", json: #"{"session":"up","\#(name)":null}"#,
                    status: .unprocessableContent)
                let retried = try await fixture.document(
                    ProblemDocument.self, .post, target + "/retry", json: #"{"\#(name)":null}"#,
                    status: .unprocessableContent)
                #expect(retried.type == created.type)
                #expect(retried.errors?.map(\.pointer) == ["/\(name)"])
                #expect(retried.errors?.map(\.detail) == created.errors?.map(\.detail))
            }
            for name in [
                "kind", "method", "path", "parameters", "body", "headers", "request_serializer", "response_serializer",
                "priority", "ordering_key", "not_before", "delay", "deadline", "retry", "callback", "timeouts",
                "bytes_per_second", "labels", "start",
            ] {
                // Held back, so that nothing of the tasks is sent.
                let others = name == "delay" ? "" : #","delay":"1d""#
                let response = try await fixture.response(
                    .post, target + "/retry", json: #"{"\#(name)":null\#(others)}"#)
                #expect(response.status == .accepted, "\(name): \(response.text)")
            }
        }
    }

    @Test("A header field that is not shown goes to another origin only if the content writes the fields again")
    func hiddenField() async throws {
        var session = try DispatcherFixture.configuration()
        session.urlScope = .any
        let fixture = try GatewayFixture(session: session) { configuration in
            configuration.sessions.append(try SessionConfiguration.sample("other"))
        }
        try await fixture.open {
            let task = try await finished(
                fixture, #","path":"a","headers":{"Authorization":"Bearer s3cret","X-A":"1"}"#)
            let target = "/v1/tasks/\(task.id)/retry"
            for destination in [#""path":"http://other.example/""#, #""session":"other""#] {
                let problem = try await fixture.document(
                    ProblemDocument.self, .post, target, json: #"{\#(destination),"start":"suspended"}"#,
                    status: .unprocessableContent)
                #expect(problem.errors?.map(\.pointer) == ["/headers"])
                let again = try await fixture.response(
                    .post, target, json: #"{\#(destination),"start":"suspended","headers":{"X-A":"1"}}"#)
                #expect(again.status == .accepted)
            }
            for same in [#""path":"b""#, #""path":"http://upstream.example/b""#, #""session":"up""#, #""labels":{}"#] {
                let again = try await fixture.response(.post, target, json: #"{\#(same),"start":"suspended"}"#)
                #expect(again.status == .accepted)
                #expect(again.text.contains(#""Authorization":"[redacted]","X-A":"1""#), "\(again.text)")
            }
        }
    }

    @Test("A header field that only the former session hides is refused with another session of the same origin")
    func fieldOfFormerSession() async throws {
        var field = HTTPField(name: try #require(HTTPField.Name("X-Partner")), value: "12345")
        field.indexingStrategy = .disallow
        let fixture = try GatewayFixture { configuration in
            var twin = configuration.sessions[0]
            twin.name = "twin"
            configuration.sessions[0].headers.append(field)
            configuration.sessions.append(twin)
        }
        try await fixture.open {
            let task = try await finished(fixture, #","headers":{"X-Partner":"67890"}"#)
            let problem = try await fixture.document(
                ProblemDocument.self, .post, "/v1/tasks/\(task.id)/retry", json: #"{"session":"twin"}"#,
                status: .unprocessableContent)
            #expect(problem.errors?.map(\.pointer) == ["/headers"])
        }
    }

    @Test("A query item that is not shown goes to no other origin, and to no session or content that would show it")
    func hiddenItem() async throws {
        var session = try DispatcherFixture.configuration()
        session.urlScope = .any
        session.credentials = .apiKey(APIKey(place: .query("key"), value: "of-the-session"))
        let fixture = try GatewayFixture(session: session) { configuration in
            var twin = configuration.sessions[0]
            twin.name = "twin"
            twin.credentials = nil
            configuration.sessions.append(twin)
        }
        try await fixture.open {
            let inParameters = #","path":"http://other.example/x","parameters":{"a":1,"key":"s3cret"}"#
            let inPath = #","path":"http://other.example/x?a=1&key=s3cret""#
            for (members, overrides, place) in [
                (inParameters, #""path":"http://evil.example/""#, "/parameters"),
                (inParameters, #""session":"twin""#, "/parameters"),
                (inParameters, #""method":"POST""#, "/parameters"), (inPath, #""session":"twin""#, "/path"),
                (inParameters, #""path":"http://evil.example/","parameters":{"a":2}"#, nil),
                (inParameters, #""path":"http://other.example/y""#, nil), (inParameters, #""labels":{}"#, nil),
                (inPath, #""path":"http://evil.example/""#, nil), (inPath, #""method":"DELETE""#, nil),
                // The session has added the item.
                (#","path":"a","parameters":{"a":1}"#, #""path":"http://evil.example/""#, nil),
                (#","path":"a","parameters":{"a":1}"#, #""method":"POST""#, nil),
            ] as [(String, String, String?)] {
                let task = try await finished(fixture, members)
                #expect(try await fixture.response(.get, "/v1/tasks/\(task.id)").text.contains("key=[redacted]"))
                let response = try await fixture.response(
                    .post, "/v1/tasks/\(task.id)/retry", json: #"{"start":"suspended",\#(overrides)}"#)
                #expect(!response.text.contains("s3cret"))
                if let place {
                    let problem = try response.document(ProblemDocument.self, status: .unprocessableContent)
                    #expect(problem.errors?.map(\.pointer) == [place], "\(overrides)")
                } else {
                    #expect(response.status == .accepted, "\(overrides): \(response.text)")
                }
            }
        }
    }

    @Test("Content that is not shown, or has a secret in a part, goes to another origin only if it is written again")
    func unreadContent() async throws {
        var session = try DispatcherFixture.configuration()
        session.urlScope = .any
        let fixture = try GatewayFixture(session: session)
        let long = String(repeating: "a", count: 1100)
        let part = #"{"parts":[{"name":"p","headers":{"X-Token":"s3cret"},"text":"t"}]}"#
        try await fixture.open {
            for (content, member) in [
                (#""body":{"text":"\#(long)"}"#, "body"), (#""parameters":{"a":"\#(long)"}"#, "parameters"),
                (#""body":\#(part)"#, "body"), (#""body":{"text":"short"}"#, nil),
            ] as [(String, String?)] {
                let task = try await finished(fixture, #","method":"POST",\#(content)"#)
                func repetition(_ overrides: String) async throws -> ServerResponse {
                    try await fixture.response(
                        .post, "/v1/tasks/\(task.id)/retry", json: #"{"start":"suspended",\#(overrides)}"#)
                }
                let elsewhere = #""path":"http://evil.example/""#
                let there = try await repetition(elsewhere)
                let again = try await repetition("\(elsewhere),\(content)")
                #expect(again.status == .accepted, "\(again.text)")
                #expect(try await repetition(#""path":"b""#).status == .accepted)
                guard let member else {
                    #expect(there.status == .accepted)
                    continue
                }
                let problem = try there.document(ProblemDocument.self, status: .unprocessableContent)
                #expect(problem.errors?.map(\.pointer) == ["/\(member)"])
            }
        }
    }

    @Test("An unfinished task is not retried")
    func early() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            let problem = try await fixture.document(
                ProblemDocument.self, .post, "/v1/tasks/\(task.id)/retry", status: .conflict)
            #expect(problem.detail == "the task is suspended; only a finished task can be retried")
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

    private static let keyField = ["Idempotency-Key: again"]
    private static let suspended = #"{"start":"suspended"}"#

    /// Returns the response to a retry with the key.
    private func retry(
        _ fixture: GatewayFixture, _ id: String, _ content: String = Self.suspended, fields: [String] = Self.keyField
    ) async throws -> ServerResponse {
        try await fixture.response(.post, "/v1/tasks/\(id)/retry", json: content, fields: fields)
    }

    /// Checks that a response is that of an earlier retry.
    private func expectReplay(of first: ServerResponse, _ response: ServerResponse) {
        #expect(response.status == .ok)
        #expect(response.headers[.idempotentReplayed] == "true")
        #expect(first.headers[.location] != nil)
        #expect(response.headers[.location] == first.headers[.location])
    }

    @Test("A key repeats one task only, also if another one has the same document, and with one content only")
    func keyOfAnother() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let (task, twin) = (try await finished(fixture), try await finished(fixture))
            let first = try await retry(fixture, task.id)
            #expect(first.status == .accepted)
            for (id, content, type) in [
                (twin.id, Self.suspended, "idempotency-key-reused"), (task.id, "{}", "idempotency-key-reused"),
                (task.id, "[1]", "invalid-task"),
            ] {
                let problem = try await retry(fixture, id, content)
                    .document(ProblemDocument.self, status: .unprocessableContent)
                #expect(problem.type == "/problems/\(type)", "\(content)")
            }
            expectReplay(of: first, try await retry(fixture, task.id, #"{ "start": "suspended" }"#))
            #expect(try await fixture.store.counts().total == 3)
        }
    }

    @Test("A retry that the configuration does not allow any more returns the earlier task of its key")
    func keyAfterReload() async throws {
        let folder = try GatewayFolder()
        let content = #"{"session":"gone","start":"suspended"}"#
        let before = try GatewayFixture(folder: folder) { configuration in
            configuration.sessions.append(try SessionConfiguration.sample("gone"))
        }
        var id = ""
        var responses: [ServerResponse] = []
        try await before.open {
            id = try await finished(before).id
            responses.append(try await retry(before, id, content))
        }
        let first = try #require(responses.first)
        #expect(first.status == .accepted)
        let after = try GatewayFixture(folder: folder)
        try await after.open {
            expectReplay(of: first, try await retry(after, id, content))
            let refused = try await retry(after, id, content, fields: ["Idempotency-Key: other"])
            #expect(refused.status == .unprocessableContent)
        }
    }

    @Test("A retry of a task that was removed since returns the earlier task of its key, and nothing of other keys")
    func keyAfterRemoval() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await finished(fixture)
            let first = try await retry(fixture, task.id)
            #expect(try await fixture.response(.delete, "/v1/tasks/\(task.id)").status == .noContent)
            expectReplay(of: first, try await retry(fixture, task.id))
            for (content, fields) in [
                ("{}", Self.keyField), ("{", Self.keyField), (Self.suspended, []),
                (Self.suspended, ["Idempotency-Key: other"]),
            ] as [(String, [String])] {
                #expect(try await retry(fixture, task.id, content, fields: fields).status == .notFound)
            }
            let location = try #require(first.headers[.location])
            #expect(try await fixture.response(.delete, location).status == .noContent)
            #expect(try await retry(fixture, task.id).status == .notFound, "the key is free again")
        }
    }

    @Test("A retry of a task that the token must not see any more is a 404, unless it may see the earlier task")
    func keyOfHiddenTask() async throws {
        let folder = try GatewayFolder()
        func fixture(sessions: [String]?) throws -> GatewayFixture {
            try GatewayFixture(folder: folder) { configuration in
                configuration.sessions.append(try SessionConfiguration.sample("other"))
                configuration.auth.tokens = [.sample("one", [.tasksWrite], sessions: sessions)]
            }
        }
        let token = AuthConfiguration.Token.field("one")
        let moved = #"{"session":"up","start":"suspended"}"#
        var responses: [ServerResponse] = []
        var id = ""
        let before = try fixture(sessions: nil)
        try await before.open {
            let created = try await before.response(
                .post, "/v1/tasks", json: #"{"session":"other","start":"suspended"}"#, fields: [token])
            id = try created.document(TaskDocument.self, status: .accepted).id
            _ = try await before.response(.post, "/v1/tasks/\(id)/cancel", fields: [token])
            responses.append(try await retry(before, id, fields: [token, "Idempotency-Key: hidden"]))
            responses.append(try await retry(before, id, moved, fields: [token, "Idempotency-Key: seen"]))
        }
        #expect(responses.map(\.status) == [.accepted, .accepted])
        let after = try fixture(sessions: ["up"])
        try await after.open {
            let hidden = try await retry(after, id, fields: [token, "Idempotency-Key: hidden"])
            #expect(hidden.status == .notFound)
            let seen = try await retry(after, id, moved, fields: [token, "Idempotency-Key: seen"])
            expectReplay(of: try #require(responses.last), seen)
        }
    }

    @Test("A precondition together with a key is refused", arguments: ["If-Match", "If-None-Match"])
    func precondition(field: String) async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await finished(fixture)
            let response = try await retry(fixture, task.id, fields: Self.keyField + [#"\#(field): "r9""#])
            let problem = try response.document(ProblemDocument.self, status: .badRequest)
            #expect(problem.type == "/problems/bad-header")
            #expect(problem.detail?.hasPrefix("\(field): expected no \(field) with an Idempotency-Key") == true)
        }
    }

    @Test("A client that waits for a change of a finished task learns of its retry")
    func waitingForChange() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await finished(fixture)
            let waiting = Task {
                try await fixture.response(
                    .get, "/v1/tasks/\(task.id)?wait=1h&wait_for=change",
                    fields: ["If-None-Match: \"r\(task.revision)\""])
            }
            try await until {
                try await fixture.response(.get, "/metrics").text.contains("errand_waiting_requests 1")
            }
            let new = try await retry(fixture, task.id, fields: [])
                .document(TaskDocument.self, status: .accepted)
            let changed = try await waiting.value
            #expect(changed.status == .ok)
            #expect(changed.text.contains(#""retried_by":"\#(new.id)""#))
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

    @Test("A callback delivery is retried unchanged, and accepts no members and no other content")
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
            for (content, found) in [("[]", "an array"), ("[1]", "an array"), (#""x""#, "a string")] {
                let problem = try await fixture.document(
                    ProblemDocument.self, .post, path, json: content, status: .unprocessableContent)
                #expect(problem.type == "/problems/invalid-task")
                #expect(problem.errors?.map(\.pointer) == [""])
                #expect(problem.errors?.map(\.detail) == ["expected an object, found \(found)"])
            }
            #expect(try await fixture.store.counts().total == 1)
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
