import Testing

/// A text and its expected problems.
struct ProblemRow: CustomTestStringConvertible, Sendable {
    /// The text.
    var yaml: String
    /// The expected lines, without the name of the file.
    var problems: [String]

    init(_ yaml: String, _ problems: String...) { (self.yaml, self.problems) = (yaml, problems) }

    /// Creates a row for a session `a` with one additional line, the fourth.
    static func session(_ line: String, _ problems: String...) -> ProblemRow {
        var row = ProblemRow("sessions:\n  a:\n    base_url: http://a/\n    \(line)\n")
        row.problems = problems
        return row
    }

    var testDescription: String { yaml }

    /// Expects exactly these problems.
    func check(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(Sample.problems(yaml) == problems.map { "config.yaml:" + $0 }, sourceLocation: sourceLocation)
    }
}
