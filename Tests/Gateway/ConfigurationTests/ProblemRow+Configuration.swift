import ErrandSupport
import Testing

extension ProblemRow {
    /// Expects exactly the row's problems in a configuration.
    func check(sourceLocation: SourceLocation = #_sourceLocation) {
        check(Sample.problems(yaml), sourceLocation: sourceLocation)
    }
}
