import ErrandHTTPServer
import ErrandSupport
import ErrandTaskStore
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("A list that cannot be read", .timeLimit(.hang))
struct ListTroubleTests {
    @Test(
        "gets a 503 with the remedy",
        arguments: [
            (TaskStoreError.readTimedOut, "/problems/list-timeout", "created_after", nil),
            (.tooManyReads, "/problems/store-busy", "Too many lists", "1"),
        ] as [(TaskStoreError, String, String, String?)])
    func problem(error: TaskStoreError, type: String, words: String, retryAfter: String?) async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .tasks = operation { throw error }
            }
            let response = try await fixture.response(.get, "/v1/tasks")
            #expect(response.headers[.retryAfter] == retryAfter)
            let problem = try response.document(ProblemDocument.self, status: .serviceUnavailable)
            #expect(problem.type == type)
            #expect(problem.detail?.contains(words) == true)
        }
    }

    @Test("because its client has left is no longer read")
    func clientLeaves() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let (begun, ended) = (Signal<Void>(), Signal<Void>())
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .tasks = operation else { return }
                begun.send()
                await untilCanceled()
                ended.send()
                throw .canceled
            }
            let list = Task { try await fixture.response(.get, "/v1/tasks") }
            await begun.wait()
            list.cancel()
            await ended.wait()
            let response = try await list.value
            #expect(response.headers[.retryAfter] == nil)
            let problem = try response.document(ProblemDocument.self, status: .badRequest)
            #expect(problem.type == "/problems/client-left")
        }
    }

    @Test("because its filter looks into sealed documents gets a 400, and a bulk call a 422")
    func sealedDocuments() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .tasks = operation { throw TaskStoreError.unsearchable }
                if case .identifiers = operation { throw TaskStoreError.unsearchable }
            }
            let list = try await fixture.response(.get, "/v1/tasks?error=timed_out")
            let problem = try list.document(ProblemDocument.self, status: .badRequest)
            #expect(problem.detail?.contains("store.encryption_keys") == true)
            let bulk = try await fixture.response(.post, "/v1/tasks:retry", json: #"{"error":"timed_out"}"#)
            #expect(bulk.status == .unprocessableContent)
            fixture.store.intervene(nil)
        }
    }
}
