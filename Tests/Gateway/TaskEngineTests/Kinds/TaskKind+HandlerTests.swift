import ErrandTaskStore
import Testing

@testable import ErrandTaskEngine

@Suite("TaskKind: handler")
struct TaskKindHandlerTests {
    @Test("Each kind has its handler")
    func handlers() {
        #expect(TaskKind.data.handler is DataTaskHandler)
        #expect(TaskKind.upload.handler is UploadTaskHandler)
        #expect(TaskKind.download.handler is DownloadTaskHandler)
        #expect(TaskKind.callback.handler is CallbackDeliveryHandler)
    }
}
