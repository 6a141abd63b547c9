import ErrandTaskStore
import Testing

@testable import ErrandTaskEngine

@Suite("TaskKind: handler")
struct TaskKindHandlerTests {
    @Test("Each kind has its handler; one of a later version is handled like a request")
    func handlers() {
        #expect(TaskKind.data.handler is DataTaskHandler)
        #expect(TaskKind.upload.handler is DataTaskHandler)
        #expect(TaskKind.download.handler is DownloadTaskHandler)
        #expect(TaskKind.callback.handler is CallbackDeliveryHandler)
    }
}
