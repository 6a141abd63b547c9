import Testing

/// One text and what is said about it.
struct ProblemRow: CustomTestStringConvertible, Sendable {
    /// The text.
    var yaml: String
    /// The lines, without the name of the file.
    var problems: [String]

    init(_ yaml: String, _ problems: String...) { (self.yaml, self.problems) = (yaml, problems) }

    /// A session `a` with one more line, the fourth.
    static func session(_ line: String, _ problems: String...) -> ProblemRow {
        var row = ProblemRow("sessions:\n  a:\n    base_url: http://a/\n    \(line)\n")
        row.problems = problems
        return row
    }

    var testDescription: String { yaml }

    /// Whether exactly this is said.
    func check(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(Sample.problems(yaml) == problems.map { "config.yaml:" + $0 }, sourceLocation: sourceLocation)
    }
}
