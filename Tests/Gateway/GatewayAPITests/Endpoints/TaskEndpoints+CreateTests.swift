import ErrandConfiguration
import ErrandHTTPServer
import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("TaskEndpoints: idempotency keys", .timeLimit(.hang))
struct TaskEndpointsCreateTests {
    private static let document = #"{"session":"up","path":"a","start":"suspended"}"#

    private func create(
        _ fixture: GatewayFixture, key: String?, _ document: String = Self.document, token: String? = nil,
        to target: String = "/v1/tasks"
    ) async throws -> ServerResponse {
        let fields =
            (key.map { ["Idempotency-Key: \($0)"] } ?? [])
            + (token.map { [AuthConfiguration.Token.field($0)] } ?? [])
        return try await fixture.response(.post, target, json: document, fields: fields)
    }

    @Test("A client that leaves while it waits gets no error: its task is stored", arguments: [nil, "\"key\""])
    func leavingClient(key: String?) async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let fields = key.map { ["Idempotency-Key: \($0)"] } ?? []
            if key != nil { _ = try await create(fixture, key: key) }
            let creation = Task {
                try await fixture.response(.post, "/v1/tasks?wait=1h", json: Self.document, fields: fields)
            }
            try await until {
                try await fixture.response(.get, "/metrics").text.contains("errand_waiting_requests 1")
            }
            creation.cancel()
            let response = try await creation.value
            #expect(response.status == (key == nil ? .accepted : .ok))
            #expect(response.headers[.contentType]?.hasPrefix("application/json") == true)
            #expect(response.text.contains(#""state":"suspended""#))
        }
    }

    @Test(
        "A task that is removed while its creation, or its retry, waits for its end has no location any more",
        arguments: [false, true])
    func removedDuringWait(isRetry: Bool) async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            var target = "/v1/tasks"
            if isRetry {
                let former = try await create(fixture, key: nil).document(TaskDocument.self, status: .accepted)
                _ = try await fixture.response(.post, "/v1/tasks/\(former.id)/cancel")
                target = "/v1/tasks/\(former.id)/retry"
            }
            let path = target
            let creation = Task {
                try await fixture.response(
                    .post, path + "?wait=1h", json: isRetry ? #"{"start":"suspended"}"# : Self.document)
            }
            try await until {
                try await fixture.response(.get, "/metrics").text.contains("errand_waiting_requests 1")
            }
            let tasks = try await fixture.store.tasks(TaskQuery()).tasks
            let task = try #require(tasks.first(where: { $0.state == .suspended }))
            // Without the cancellation before, with which the task would end during the wait.
            let isRemoved = try await fixture.gateway.dispatcher.removal.remove(task.id, because: .client)
            #expect(isRemoved)
            let response = try await creation.value
            #expect(response.status == .ok)
            #expect(response.headers[.location] == nil)
            #expect(response.headers[.eTag] == nil)
            #expect(response.text.hasPrefix(#"{"id":"\#(task.id)","session":"up","state":null,"done":true,"#))
            #expect(response.text.hasSuffix(#","finished_at":null,"removed":true}"#))
        }
    }

    @Test("The response has the location of the task also if the task has ended during the wait")
    func location() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let ended = try await create(fixture, key: nil, #"{"session":"up"}"#, to: "/v1/tasks?wait=1d")
            let task = try ended.document(TaskDocument.self)
            #expect(task.state == "succeeded")
            #expect(ended.headers[.location] == "/v1/tasks/\(task.id)")
            let read = try await fixture.response(.get, "/v1/tasks/\(task.id)?wait=1d")
            #expect(read.headers[.location] == nil)
        }
    }

    @Test("The same key and payload return the first task, and create no other")
    func replay() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let first = try await create(fixture, key: "\"order-7\"")
            #expect(first.status == .accepted)
            #expect(first.headers[.idempotentReplayed] == nil)
            let second = try await create(
                fixture, key: "order-7", #"{ "start":"suspended","path":"a", "session":"up" }"#)
            #expect(second.status == .ok)
            #expect(second.headers[.idempotentReplayed] == "true")
            #expect(second.headers[.location] == first.headers[.location])
            #expect(second.text == first.text)
            #expect(try await fixture.store.counts().total == 1)
        }
    }

    @Test("Another payload with the same key is refused, and deleting the task frees the key")
    func reuse() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let first = try await create(fixture, key: "k")
            let other = #"{"session":"up","path":"b","start":"suspended"}"#
            let problem = try await create(fixture, key: "k", other)
                .document(ProblemDocument.self, status: .unprocessableContent)
            #expect(problem.type == "/problems/idempotency-key-reused")
            let location = try #require(first.headers[.location])
            #expect(try await fixture.response(.delete, location).status == .noContent)
            #expect(try await create(fixture, key: "k", other).status == .accepted)
        }
    }

    @Test("Keys belong to the name of the token that used them")
    func owners() async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.auth.tokens = [.sample("one", [.tasksWrite]), .sample("two", [.tasksWrite])]
        }
        try await fixture.open {
            var statuses: [HTTPResponse.Status] = []
            for token in ["one", "two", "two"] {
                statuses.append(try await create(fixture, key: "k", token: token).status)
            }
            #expect(statuses == [.accepted, .accepted, .ok])
        }
    }

    @Test("A token keeps its keys when its secret is rotated")
    func rotation() async throws {
        let folder = try GatewayFolder()
        var token = AuthConfiguration.Token.sample("one", [.tasksWrite])
        let first = try GatewayFixture(folder: folder) { $0.auth.tokens = [token] }
        var location: String?
        try await first.open {
            let response = try await create(first, key: "k", token: "one")
            #expect(response.status == .accepted)
            location = response.headers[.location]
        }
        token.credential = .text("rotated-token-0123456789")
        let rotated = token
        let second = try GatewayFixture(folder: folder) { $0.auth.tokens = [rotated] }
        try await second.open {
            #expect(try await create(second, key: "k", token: "one").status == .unauthorized)
            let response = try await create(second, key: "k", token: "rotated")
            #expect(response.status == .ok)
            #expect(response.headers[.location] == location)
        }
    }

    @Test("The key of an expired task returns what is left of it, and creates no second task")
    func removed() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await create(fixture, key: "k").document(TaskDocument.self, status: .accepted)
            #expect(try await fixture.response(.post, "/v1/tasks/\(task.id)/cancel").status == .ok)
            let id = try #require(TaskID(task.id))
            #expect(try await fixture.gateway.dispatcher.removal.remove(id, because: .retention))
            let replay = try await create(fixture, key: "k")
            #expect(replay.status == .ok)
            #expect(replay.headers[.idempotentReplayed] == "true")
            #expect(replay.text.contains(#""id":"\#(task.id)","session":"up","state":"canceled","done":true"#))
            #expect(replay.text.contains(#""removed":true"#))
            let item = #"{"session":"up","path":"a","start":"suspended","idempotency_key":"k"}"#
            let batch = try await fixture.response(.post, "/v1/tasks:batch", json: #"{"tasks":[\#(item)]}"#)
            #expect(batch.text.contains(#""idempotent_replayed":true,"task":{"id":"\#(task.id)""#))
            let other = #"{"session":"up","path":"b","start":"suspended"}"#
            #expect(try await create(fixture, key: "k", other).status == .unprocessableContent)
            #expect(try await fixture.store.counts().total == 0)
        }
    }

    @Test("While the first request is being stored, a second one with the key gets 409 with Retry-After")
    func concurrent() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let second = Mutex<HTTPResponse.Status?>(nil)
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .insert = operation else { return }
                do {
                    let status = try await create(fixture, key: "k").status
                    second.withLock { $0 = status }
                } catch {
                    throw TaskStoreError(.unexpected, "\(error)")
                }
            }
            let first = try await create(fixture, key: "k")
            #expect(first.status == .accepted)
            #expect(second.withLock { $0 } == .conflict)
            fixture.store.intervene(nil)
            let third = try await create(fixture, key: "k")
            #expect(third.status == .ok)
        }
    }

    @Test(
        "A request that would be refused by now, alone or in a batch, returns the earlier task of its key")
    func replayOfWhatIsRefused() async throws {
        let folder = try GatewayFolder()
        let document = #"{"session":"gone","path":"a","start":"suspended"}"#
        let before = try GatewayFixture(folder: folder) { configuration in
            configuration.sessions.append(try SessionConfiguration.sample("gone"))
        }
        var location: String?
        try await before.open {
            location = try await create(before, key: "k", document).headers[.location]
        }
        let after = try GatewayFixture(folder: folder)
        try await after.open {
            let again = try await create(after, key: "k", document)
            #expect(again.status == .ok)
            #expect(again.headers[.location] == location)
            let item = document.dropLast() + #","idempotency_key":"k"}"#
            let batch = try await after.response(.post, "/v1/tasks:batch", json: #"{"tasks":[\#(item)]}"#)
            #expect(batch.text.contains(#""status":200,"idempotent_replayed":true"#))
            let other = try await create(after, key: "k", document.replacing(#""a""#, with: #""b""#))
            #expect(other.status == .unprocessableContent)
            #expect(try await create(after, key: "new", document).status == .unprocessableContent)
        }
    }

    @Test("A closed session accepts no new task, but returns those of earlier keys")
    func replayInClosedSession() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let first = try await create(fixture, key: "k")
            #expect(try await fixture.response(.post, "/v1/sessions/up/invalidate").status == .ok)
            let again = try await create(fixture, key: "k")
            #expect(again.status == .ok)
            #expect(again.headers[.location] == first.headers[.location])
            #expect(try await create(fixture, key: "new").status == .conflict)
        }
    }

    @Test("The key of a task that could not be stored stays free")
    func storeFails() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .insert = operation { throw TaskStoreError(.diskFull, "Full") }
            }
            let response = try await create(fixture, key: "k")
            #expect(response.status == .serviceUnavailable)
            #expect(response.headers[.retryAfter] == "1")
            fixture.store.intervene(nil)
            #expect(try await create(fixture, key: "k").status == .accepted)
        }
    }

    @Test("A malformed key, or two keys, are refused", arguments: [["\"a"], [""], ["a", "a"]])
    func malformed(keys: [String]) async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let response = try await fixture.response(
                .post, "/v1/tasks", json: Self.document, fields: keys.map { "Idempotency-Key: \($0)" })
            let problem = try response.document(ProblemDocument.self, status: .badRequest)
            #expect(problem.type == "/problems/bad-header")
            #expect(try await fixture.store.counts().total == 0)
        }
    }
}
