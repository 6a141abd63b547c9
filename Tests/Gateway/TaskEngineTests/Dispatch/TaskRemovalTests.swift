import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("TaskRemoval", .timeLimit(.hang))
struct TaskRemovalTests {
    @Test("A delete of a task that the store no longer has removes it from memory")
    func goneFromStore() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let task = try await fixture.create()
            try await fixture.expect(.succeeded, of: task)
            #expect(try await fixture.store.delete(task.id))
            #expect(try await fixture.context.task(task.id) != nil)
            #expect(try await !fixture.dispatcher.delete(task.id))
            #expect(try await fixture.context.task(task.id) == nil)
        }
    }
}
