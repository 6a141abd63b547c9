import ErrandSupport
import Testing

@testable import HTTPSessionYAML

extension SessionFile {
    /// Reads a text with its own environment and files.
    static func read(
        _ text: String, environment: [String: String] = [:], files: [String: String] = [:]
    ) throws(SessionFileError) -> SessionFile {
        try SessionFile(text, environment: environment) { path in
            guard let content = files[path] else { throw MissingFile() }
            return Array(content.utf8)
        }
    }

    /// Returns the error of a text; `nil` if it is valid.
    static func error(_ text: String, environment: [String: String] = [:]) -> SessionFileError? {
        do throws(SessionFileError) {
            _ = try read(text, environment: environment)
            return nil
        } catch {
            return error
        }
    }
}

extension ProblemRow {
    /// Expects exactly the row's problems in a file of sessions.
    func check() {
        let lines = SessionFile.error(yaml)?.problems.map(\.description) ?? []
        check(lines.map { "config.yaml:" + $0.dropFirst("sessions.yaml:".count) })
    }
}
