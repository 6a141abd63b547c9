import ErrandTaskStore
import Testing

@testable import ErrandTaskEngine

@Suite("TaskKind: handler")
struct TaskKindHandlerTests {
    @Test("Deliveries have a handler of their own; kinds of later versions are handled like requests")
    func handlers() {
        #expect(TaskKind.data.handler is DataTaskHandler)
        #expect(TaskKind.upload.handler is DataTaskHandler)
        #expect(TaskKind.download.handler is DataTaskHandler)
        #expect(TaskKind.callback.handler is CallbackDeliveryHandler)
    }
}
