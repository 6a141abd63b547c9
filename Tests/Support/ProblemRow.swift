package import Testing

/// A text and its expected problems.
package struct ProblemRow: CustomTestStringConvertible, Sendable {
    /// The text.
    package var yaml: String
    /// The expected lines, without the name of the file.
    package var problems: [String]

    package init(_ yaml: String, _ problems: String...) { (self.yaml, self.problems) = (yaml, problems) }

    /// Creates a row for a session `a` with one additional line, the fourth.
    package static func session(_ line: String, _ problems: String...) -> ProblemRow {
        var row = ProblemRow("sessions:\n  a:\n    base_url: http://a/\n    \(line)\n")
        row.problems = problems
        return row
    }

    package var testDescription: String { yaml }

    /// Expects exactly these problems.
    ///
    /// - Parameter found: The problems of the text, one per line, with the name of the file `config.yaml`.
    package func check(_ found: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(found == problems.map { "config.yaml:" + $0 }, sourceLocation: sourceLocation)
    }
}
