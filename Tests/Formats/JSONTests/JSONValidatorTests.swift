import ErrandJSON
import Testing

@Suite("Validating without a tree")
struct JSONValidatorTests {
    static let summaries: [(text: String, isContainer: Bool, range: Range<Int>)] = [
        ("{}", true, 0..<2), ("[]", true, 0..<2), (" [1] ", true, 1..<4), ("\u{FEFF}{\"a\":1}\r\n", true, 3..<10),
        ("\u{FEFF}\n[\n]", true, 4..<7), ("1", false, 0..<1), (" \"[]\" ", false, 1..<5), ("null\n", false, 0..<4),
        ("\t-1.5e3", false, 1..<7), ("\"é\"", false, 0..<4), ("true", false, 0..<4),
    ]

    @Test("A summary distinguishes containers from fragments, and has the range of the value", arguments: summaries)
    func summary(text: String, isContainer: Bool, range: Range<Int>) throws {
        let summary = try JSONValidator.validate(Array(text.utf8))
        #expect(summary.isContainer == isContainer)
        #expect(summary.range == range)
        #expect(try root(text).range == range)
    }

    @Test("Repeated names and numbers of any size are accepted")
    func passThrough() throws {
        let text = #"{"a":1,"a":1e999999999,"b":-0.00000000000000000000000000000000000000001}"#
        #expect(try JSONValidator.validate(Array(text.utf8)).range == 0..<text.utf8.count)
    }

    @Test("Siblings do not add to the depth")
    func siblings() {
        let text = "[" + Array(repeating: "[{}]", count: 10_000).joined(separator: ",") + "]"
        #expect(validationError(Array(text.utf8), JSONLimits(maxDepth: 3)) == nil)
    }
}
