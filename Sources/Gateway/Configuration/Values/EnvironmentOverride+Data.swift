import ErrandSettings
import ErrandYAML

extension EnvironmentOverride {
    /// Returns an override by the folder of all data, in which the setting has a name.
    ///
    /// - Parameter name: The name in the folder; `nil` for the folder itself.
    static func data(_ name: String? = nil) -> EnvironmentOverride {
        let summary = name.map { "Replaces the value by `$ERRAND_DATA/\($0)`." } ?? "Replaces the value."
        return EnvironmentOverride(variable: "ERRAND_DATA", summary: summary) { text, _ in
            let folder = text.hasSuffix("/") ? String(text.dropLast()) : text
            return .quoted(name.map { "\(folder)/\($0)" } ?? folder)
        }
    }
}
