import ErrandHTTPServer
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("TaskEndpoints: delete", .timeLimit(.hang))
struct TaskEndpointsDeleteTests {
    @Test("The deletion of a task that does not end in time is a 409 with the remedy, and no failure of the store")
    func slowEnd() async throws {
        var patience = ClientPatience.unlimited
        (patience.cancel, patience.removal) = (.milliseconds(1), .milliseconds(20))
        let log = RecordedLog()
        let fixture = try GatewayFixture(
            transport: ScriptedTransport { _ in [.wait(ScriptedTransport.Gate())] + DispatcherFixture.response },
            logger: log.logger, patience: patience)
        try await fixture.open {
            let task = try await fixture.create()
            let path = "/v1/tasks/\(task.id)"
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update(let record) = operation, record.state == .canceled else { return }
                throw TaskStoreError(.diskFull, "The disk is full")
            }
            let response = try await fixture.response(.delete, path)
            fixture.store.intervene(nil)
            #expect(response.headers[.retryAfter] == "1")
            let problem = try response.document(ProblemDocument.self, status: .conflict)
            #expect(problem.type == "/problems/wrong-state")
            #expect(problem.detail == "the task is canceling; delete it again when it has ended")
            #expect(!log.lines.contains { $0.message == "The store failed a request" })
            let ended = try await fixture.task(.get, "\(path)?wait=1d")
            #expect(ended.state == "canceled")
            let again = try await fixture.response(.delete, path)
            #expect(again.status == .noContent)
        }
    }
}
