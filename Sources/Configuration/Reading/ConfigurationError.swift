/// Why a configuration is refused: everything that is wrong with it.
///
/// There is at least one problem.
package struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the file, as the user gave it.
    package var file: String
    /// What is wrong: environment variables first, then the file from its beginning.
    package var problems: [ConfigurationProblem]

    /// One line for each problem, without a line feed at the end.
    package var description: String {
        problems.map { $0.text(file: file) }.joined(separator: "\n")
    }
}
