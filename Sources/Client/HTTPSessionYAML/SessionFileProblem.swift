import ErrandSettings
import ErrandYAML

/// A problem or a risk in a file of sessions, with its place.
public struct SessionFileProblem: Sendable, Hashable {
    /// The name of the file, as the program gave it.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// The column in the line, in characters, from 1.
    public let column: Int
    /// The path of the setting, such as `sessions.github.timeouts.idle`; empty for a problem of the whole file.
    public let path: String
    /// The problem and, for common mistakes, its remedy.
    ///
    /// An example is `expected a duration such as 30s, found "30 sec"; did you mean 30s?`.
    public let message: String

    init(_ problem: ConfigurationProblem, file: String) {
        // No setting of a session comes from a variable of its own.
        let mark = if case .file(let mark) = problem.location { mark } else { YAMLMark.start }
        self.file = file
        line = mark.line
        column = mark.column
        path = problem.path.description
        message = problem.message
    }
}

extension SessionFileProblem: CustomStringConvertible {
    /// The place, the path and the message.
    ///
    /// An example is `sessions.yaml:12:5: sessions.github.timeouts.idle: expected a duration such as 30s, found "fast"`.
    public var description: String {
        path.isEmpty ? "\(file):\(line):\(column): \(message)" : "\(file):\(line):\(column): \(path): \(message)"
    }
}
