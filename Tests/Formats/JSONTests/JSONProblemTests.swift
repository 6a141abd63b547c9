import ErrandJSON
import Testing

@Suite("Lists of problems")
struct JSONProblemTests {
    @Test("Problems keep their order")
    func order() {
        let problems = JSONProblems()
        problems.report(JSONPointer(["b"]), "one")
        problems.report(JSONPointer(["a"]), "two")
        #expect(problems.problems == [JSONProblem(JSONPointer(["b"]), "one"), JSONProblem(JSONPointer(["a"]), "two")])
        #expect(!problems.isFull)
    }

    @Test("A full list takes no more")
    func limit() {
        let problems = JSONProblems(limit: 2)
        for number in 0..<5 { problems.report(JSONPointer(), "\(number)") }
        #expect(problems.isFull)
        #expect(problems.problems.map(\.detail) == ["0", "1"])
    }
}
