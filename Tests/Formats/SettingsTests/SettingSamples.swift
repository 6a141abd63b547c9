import ErrandSupport
import ErrandYAML

@testable import ErrandSettings

/// The settings of a small program, for texts that tests read.
struct SampleSettings: Sendable {
    var wait = Duration.seconds(1)
    var title: String?
    var names: [String] = []
    var secret = ""

    static let settings = SettingGroup(
        SampleSettings(),
        [
            Setting("wait", \.wait, .duration(.zero...(.seconds(60))), "The time to wait."),
            Setting("title", \.title, .nullable(.text()), "The title."),
            Setting("names", \.names, .list(of: .text()), "The names."),
            Setting("secret", \.secret, .secret(minimum: 16), "The secret."),
        ])
}

/// Helpers to read texts.
enum Sample {
    /// Reads a valid text.
    static func read(
        _ yaml: String, environment: [String: String] = [:], files: [String: String] = [:]
    ) throws -> SampleSettings {
        try loader(environment, files).load(Array(yaml.utf8), file: "a.yaml", as: SampleSettings.settings).root
    }

    /// Returns the problems of a text, one per line; empty if there are none.
    static func problems(
        _ yaml: String, environment: [String: String] = [:], files: [String: String] = [:]
    ) -> [String] {
        do throws(ConfigurationError) {
            _ = try loader(environment, files).load(Array(yaml.utf8), file: "a.yaml", as: SampleSettings.settings)
            return []
        } catch {
            return error.description.split(separator: "\n").map(String.init)
        }
    }

    private static func loader(_ environment: [String: String], _ files: [String: String]) -> SettingLoader {
        SettingLoader(environment: environment) { path in
            guard let text = files[path] else { throw MissingFile() }
            return Array(text.utf8)
        }
    }
}
