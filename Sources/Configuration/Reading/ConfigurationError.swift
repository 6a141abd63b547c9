import YAML

/// Why a configuration is refused: everything that is wrong with it.
///
/// There is at least one problem.
package struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the file, as the user gave it.
    package var file: String
    /// What is wrong: environment variables first, then the file from its beginning.
    package var problems: [ConfigurationProblem]

    /// Creates the error of a configuration with these problems.
    init(file: String, problems: [ConfigurationProblem]) {
        self.file = file
        self.problems = problems
    }

    /// Creates the error of a file that there is no text of.
    ///
    /// - Parameter reason: Why not: `cannot be read: …`.
    package init(unreadable file: String, _ reason: String) {
        self.init(file: file, problems: [ConfigurationProblem(.file(.start), YAMLPath(), reason)])
    }

    /// One line for each problem, without a line feed at the end.
    package var description: String {
        problems.map { $0.text(file: file) }.joined(separator: "\n")
    }
}
