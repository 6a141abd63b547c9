import Configuration
import HTTPServer
import HTTPTypes
import Locking
import Support
import TaskStore
import Testing
import Transfer

@testable import Gateway

@Suite("TaskEndpoints: idempotency keys", .timeLimit(.minutes(1)))
struct TaskEndpointsCreateTests {
    private static let document = #"{"session":"up","path":"a","start":"suspended"}"#

    private func create(
        _ fixture: GatewayFixture, key: String?, _ document: String = Self.document, token: String? = nil
    ) async throws -> ServerResponse {
        let fields =
            (key.map { ["Idempotency-Key: \($0)"] } ?? [])
            + (token.map { [AuthConfiguration.Token.field($0)] } ?? [])
        return try await fixture.answer(.post, "/v1/tasks", json: document, fields: fields)
    }

    @Test("The same key and payload answer the first task again, and make no other")
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

    @Test("Another payload under the key is a mistake, and deleting the task frees the key")
    func reuse() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let first = try await create(fixture, key: "k")
            let other = #"{"session":"up","path":"b","start":"suspended"}"#
            let problem = try fixture.decode(
                ProblemDocument.self, of: try await create(fixture, key: "k", other), status: .unprocessableContent)
            #expect(problem.type == "/problems/idempotency-key-reused")
            let location = try #require(first.headers[.location])
            #expect(try await fixture.answer(.delete, location).status == .noContent)
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

    @Test("While the first request is being stored, a second one with the key is told to come again")
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
        "A request that would be refused by now, alone or in a batch, is answered with the task that its key has made")
    func replayOfWhatIsRefused() async throws {
        let folder = try GatewayFolder()
        let document = #"{"session":"gone","path":"a","start":"suspended"}"#
        let before = try GatewayFixture(folder: folder) { configuration in
            configuration.sessions.append(try SessionVisibilityTests.session("gone"))
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
            let batch = try await after.answer(.post, "/v1/tasks:batch", json: #"{"tasks":[\#(item)]}"#)
            #expect(batch.text.contains(#""status":200,"idempotent_replayed":true"#))
            let other = try await create(after, key: "k", document.replacing(#""a""#, with: #""b""#))
            #expect(other.status == .unprocessableContent)
            #expect(try await create(after, key: "new", document).status == .unprocessableContent)
        }
    }

    @Test("A closed session takes no task, but answers for what a key has made")
    func replayInClosedSession() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let first = try await create(fixture, key: "k")
            #expect(try await fixture.answer(.post, "/v1/sessions/up/invalidate").status == .ok)
            let again = try await create(fixture, key: "k")
            #expect(again.status == .ok)
            #expect(again.headers[.location] == first.headers[.location])
            #expect(try await create(fixture, key: "new").status == .conflict)
        }
    }

    @Test("A task that could not be stored leaves its key free")
    func storeFails() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .insert = operation { throw TaskStoreError(.diskFull, "Full") }
            }
            let answer = try await create(fixture, key: "k")
            #expect(answer.status == .serviceUnavailable)
            #expect(answer.headers[.retryAfter] == "1")
            fixture.store.intervene(nil)
            #expect(try await create(fixture, key: "k").status == .accepted)
        }
    }

    @Test("A malformed key, or two of them, are told at once", arguments: [["\"a"], [""], ["a", "a"]])
    func malformed(keys: [String]) async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let answer = try await fixture.answer(
                .post, "/v1/tasks", json: Self.document, fields: keys.map { "Idempotency-Key: \($0)" })
            let problem = try fixture.decode(ProblemDocument.self, of: answer, status: .badRequest)
            #expect(problem.type == "/problems/bad-header")
            #expect(try await fixture.store.counts().total == 0)
        }
    }
}
