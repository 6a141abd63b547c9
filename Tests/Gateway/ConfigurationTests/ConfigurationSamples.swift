import ErrandSettings
import ErrandSupport
import Foundation
import Testing

@testable import ErrandConfiguration

/// Texts that tests read, and helpers to read them.
enum Sample {
    /// Returns a loader with its own environment and files.
    static func loader(
        environment: [String: String] = [:], files: [String: String] = [:], workingDirectory: String? = nil,
        pathProblem: (@Sendable (String, PathUse) -> String?)? = nil
    ) -> ConfigurationLoader {
        ConfigurationLoader(
            environment: environment,
            readFile: { path in
                guard let text = files[path] else { throw MissingFile() }
                return Array(text.utf8)
            },
            workingDirectory: workingDirectory, pathProblem: pathProblem)
    }

    /// Reads a valid text.
    static func read(
        _ yaml: String, environment: [String: String] = [:], files: [String: String] = [:]
    ) throws -> GatewayConfiguration {
        try loader(environment: environment, files: files).load(Array(yaml.utf8), file: "config.yaml").configuration
    }

    /// Returns the problems of a text, one per line; empty if there are none.
    static func problems(
        _ yaml: String, environment: [String: String] = [:], files: [String: String] = [:],
        workingDirectory: String? = nil, pathProblem: (@Sendable (String, PathUse) -> String?)? = nil
    ) -> [String] {
        let loader = loader(
            environment: environment, files: files, workingDirectory: workingDirectory, pathProblem: pathProblem)
        do throws(ConfigurationError) {
            _ = try loader.load(Array(yaml.utf8), file: "config.yaml")
            return []
        } catch {
            return error.description.split(separator: "\n").map(String.init)
        }
    }

    /// Returns the content of a file of the project.
    ///
    /// - Parameter path: Relative to the project's folder.
    static func projectFile(_ path: String) throws -> String {
        try String(contentsOf: ProjectFolder.root.appending(path: path), encoding: .utf8)
    }
}
