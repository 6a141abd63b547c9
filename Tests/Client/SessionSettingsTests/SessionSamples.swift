import ErrandSessionCore
import ErrandSettings
import ErrandSupport
import ErrandYAML
import Testing

@testable import ErrandSessionSettings

/// Helpers to read texts of sessions.
enum Sample {
    /// Reads a valid text.
    static func read(
        _ yaml: String, environment: [String: String] = [:], files: [String: String] = [:]
    ) throws -> NamedSessions {
        try loader(environment, files).load(Array(yaml.utf8), file: "config.yaml", as: NamedSessions.settings).root
    }

    /// Returns the problems of a text, one per line; empty if there are none.
    static func problems(
        _ yaml: String, environment: [String: String] = [:], files: [String: String] = [:]
    ) -> [String] {
        do throws(ConfigurationError) {
            _ = try loader(environment, files).load(
                Array(yaml.utf8), file: "config.yaml", as: NamedSessions.settings)
            return []
        } catch {
            return error.description.split(separator: "\n").map(String.init)
        }
    }

    /// Returns sessions as a text.
    static func printed(_ sessions: NamedSessions) -> String {
        YAMLWriter.text(of: NamedSessions.settings.write(sessions))
    }

    private static func loader(_ environment: [String: String], _ files: [String: String]) -> SettingLoader {
        SettingLoader(environment: environment) { path in
            guard let text = files[path] else { throw MissingFile() }
            return Array(text.utf8)
        }
    }
}

extension NamedSessions {
    /// Returns the session with a name.
    func session(named name: String) -> SessionConfiguration? {
        sessions.first { $0.name == name }
    }
}

extension ProblemRow {
    /// Expects exactly the row's problems in a file of sessions.
    func check(sourceLocation: SourceLocation = #_sourceLocation) {
        check(Sample.problems(yaml), sourceLocation: sourceLocation)
    }
}

extension CertificateSamples {
    /// Reads a valid text.
    ///
    /// - Parameter replacing: Paths of files to replace, with the paths of the files whose content they get.
    func read(
        _ yaml: String, replacing: [String: String] = [:]
    ) throws -> (sessions: NamedSessions, warnings: [ConfigurationProblem]) {
        let loader = SettingLoader(
            environment: environment, readFile: { try content(of: $0, replacing: replacing) })
        let loaded = try loader.load(Array(yaml.utf8), file: "config.yaml", as: NamedSessions.settings)
        return (loaded.root, loaded.warnings)
    }

    /// Returns the problems of a text, one per line, without the name of the file; empty if there are none.
    func problems(_ yaml: String) -> [String] {
        do {
            _ = try read(yaml)
            return []
        } catch {
            return "\(error)".split(separator: "\n").map { String($0.dropFirst("config.yaml:".count)) }
        }
    }

    /// Returns the warnings of a valid text, without the name of the file.
    func warnings(_ yaml: String) throws -> [String] {
        try read(yaml).warnings.map { String($0.text(file: "").dropFirst()) }
    }
}
