import ErrandHTTPServer
import ErrandJSON
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandTaskEngine

@Suite("Problems with the faults of a document")
struct TaskRejectionResponseTests {
    /// Returns faults whose texts are long, and longer as JSON.
    private func faults(_ count: Int) -> [JSONProblem] {
        (0..<count).map { number in
            let name = String(repeating: "\u{1}", count: 400) + "\(number)"
            return JSONProblem(JSONPointer([name]), String(repeating: "d", count: 600))
        }
    }

    @Test("list the faults up to 48 KiB of JSON, and say if there are more")
    func long() {
        let problem = TaskRejection.invalid(faults(100)).problem()
        let count = problem.errors.count
        #expect((10..<100).contains(count))
        #expect(problem.detail == "the document has 100 errors; only the first \(count) errors are listed")
        #expect(problem.json.count > 44 * 1024)
        #expect(problem.json.count < 49 * 1024)
    }

    @Test("list all faults that fit, without a remark")
    func short() {
        let problem = TaskRejection.invalid(faults(2)).problem()
        #expect(problem.errors.count == 2)
        #expect(problem.detail == "the document has 2 errors")
    }
}
