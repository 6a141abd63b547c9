import ErrandYAML

/// The problems for which a configuration is refused.
///
/// There is at least one problem.
package struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the file, as the user gave it.
    package var file: String
    /// The problems: environment variables first, then the file from its beginning.
    package var problems: [ConfigurationProblem]

    /// The structure of all settings as far as it could be read; `nil` if nothing could, or if it was already examined.
    ///
    /// It has the type of the structure that was to be read. Invalid settings have the value that they would have if they
    /// were missing.
    package private(set) var partial: (any Sendable)?

    /// Creates an error with the given problems.
    package init(file: String, problems: [ConfigurationProblem], partial: (any Sendable)? = nil) {
        self.file = file
        self.problems = problems.sorted(by: ConfigurationProblem.isBefore)
        self.partial = partial
    }

    /// Returns the error with more problems, sorted by location, and without a partial configuration.
    package func adding(_ more: [ConfigurationProblem]) -> ConfigurationError {
        ConfigurationError(file: file, problems: problems + more)
    }

    package static func == (one: ConfigurationError, other: ConfigurationError) -> Bool {
        one.file == other.file && one.problems == other.problems
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(file)
        hasher.combine(problems)
    }

    /// Creates the error of a file whose text is not available.
    ///
    /// - Parameter reason: The reason, such as `cannot be read: …`.
    package init(unreadable file: String, _ reason: String) {
        self.init(
            file: file,
            problems: [ConfigurationProblem(location: .file(.start), path: YAMLPath(), message: reason)])
    }

    /// One line for each problem, without a line feed at the end.
    package var description: String {
        problems.map { $0.text(file: file) }.joined(separator: "\n")
    }
}
