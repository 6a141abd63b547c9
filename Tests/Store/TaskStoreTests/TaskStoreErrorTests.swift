import ErrandTaskStore
import Testing

@Suite("TaskStoreError")
struct TaskStoreErrorTests {
    @Test("Damage and a missing key are of one task; all other failures are of the store or of the request")
    func ofOneTask() {
        let codes = TaskStoreError.Code.allCases.filter { TaskStoreError($0, "").isOfOneTask }
        #expect(codes == [.corrupt, .sealed])
    }
}
