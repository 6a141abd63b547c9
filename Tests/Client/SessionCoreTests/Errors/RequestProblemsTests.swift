import ErrandSessionCore
import Testing

@Suite("The problems of a request")
struct RequestProblemsTests {
    @Test("form one error with the code of the first and the details of all")
    func error() {
        let problems = RequestProblems(
            RequestProblem(at: ["path"], detail: "Out of scope", code: .urlOutOfScope),
            [RequestProblem(at: ["headers", "Host"], detail: "Not a task's")])
        #expect(problems.error == SessionError(.urlOutOfScope, "Out of scope; Not a task's"))
        #expect(problems.description == "path: Out of scope; headers.Host: Not a task's")
    }
}
