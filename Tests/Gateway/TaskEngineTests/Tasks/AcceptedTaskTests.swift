import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("AcceptedTask")
struct AcceptedTaskTests {
    @Test("A task without its prepared request has the same record")
    func withoutPreparedRequest() async throws {
        let fixture = try DispatcherFixture()
        let document = #"{"session":"up","method":"POST","parameters":{"a b":[1,"é"]},"labels":{"n":"1"}}"#
        let decoder = TaskDecoder(sessions: fixture.sessions, caller: .anonymous, maxDepth: 64, now: fixture.now)
        let task = try await decoder.decode(Array(document.utf8))
        #expect(task.prepared?.bodySize == 32)
        let id = TaskIDGenerator().next()
        let record = task.record(id: id, at: DispatcherFixture.start)
        let light = task.withoutPreparedRequest()
        #expect(light.prepared == nil)
        #expect(light.record(id: id, at: DispatcherFixture.start) == record)
        #expect(light.withoutPreparedRequest().record(id: id, at: DispatcherFixture.start) == record)
        #expect(record.specification.contentBytes == 32)
        await fixture.store.close()
    }
}
