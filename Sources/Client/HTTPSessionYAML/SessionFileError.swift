import ErrandJSON
import ErrandSettings
import ErrandYAML

/// The problems for which a file of sessions is refused, or has no configuration of a session.
///
/// No description contains a secret of the file.
public struct SessionFileError: Error, Sendable, Hashable {
    /// The problems, from the beginning of the file; there is at least one.
    public let problems: [SessionFileProblem]

    init(_ error: ConfigurationError) {
        problems = error.problems.map { SessionFileProblem($0, file: error.file) }
    }

    /// Creates the error of a session that the file does not have.
    init(noSession name: String, among names: [String], file: String) {
        let quoted = YAMLText.quoted(name, limit: 64)
        let hint = closestMatch(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
        let all = names.isEmpty ? "the file has none" : "the file has \(names.joined(separator: ", "))"
        problems = [
            SessionFileProblem(
                ConfigurationProblem(
                    location: .file(.start), path: YAMLPath(keys: ["sessions"]),
                    message: "there is no session \(quoted); \(all)\(hint)"), file: file)
        ]
    }
}

extension SessionFileError: CustomStringConvertible {
    /// One line for each problem, as ``SessionFileProblem/description``, without a line feed at the end.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
