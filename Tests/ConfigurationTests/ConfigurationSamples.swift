import Foundation
import Testing

@testable import Configuration

/// The texts that tests read, and short ways to read them.
enum Sample {
    /// A loader with an environment and files of its own.
    static func loader(
        environment: [String: String] = [:], files: [String: String] = [:],
        directoryProblem: (@Sendable (String) -> String?)? = nil
    ) -> ConfigurationLoader {
        ConfigurationLoader(
            environment: environment,
            readFile: { path in
                guard let text = files[path] else { throw MissingFile() }
                return Array(text.utf8)
            },
            directoryProblem: directoryProblem)
    }

    struct MissingFile: Error, CustomStringConvertible {
        var description: String { "No such file or directory" }
    }

    /// Reads a text that has to be good.
    static func read(
        _ yaml: String, environment: [String: String] = [:], files: [String: String] = [:]
    ) throws -> GatewayConfiguration {
        try loader(environment: environment, files: files).load(Array(yaml.utf8), file: "config.yaml").configuration
    }

    /// What is said about a text, line by line; empty when nothing is wrong.
    static func problems(
        _ yaml: String, environment: [String: String] = [:], files: [String: String] = [:],
        directoryProblem: (@Sendable (String) -> String?)? = nil
    ) -> [String] {
        let loader = loader(environment: environment, files: files, directoryProblem: directoryProblem)
        do throws(ConfigurationError) {
            _ = try loader.load(Array(yaml.utf8), file: "config.yaml")
            return []
        } catch {
            return error.description.split(separator: "\n").map(String.init)
        }
    }

    /// A file of the project.
    ///
    /// - Parameter path: Relative to the project's folder.
    static func projectFile(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
