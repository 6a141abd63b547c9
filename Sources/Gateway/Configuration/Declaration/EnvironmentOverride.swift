import ErrandYAML

/// An environment variable that replaces a setting of the configuration file, or adds to it.
struct EnvironmentOverride: Sendable {
    /// The name of the variable.
    ///
    /// An empty variable counts as unset.
    var variable: String
    /// The name of the variable with the path of a file that has the text instead; `nil` if there is none.
    ///
    /// Container engines put secrets into files, which no list of variables shows.
    var fileVariable: String?
    /// The effect of the variable, in Markdown.
    var summary: String
    /// Returns the node of the setting, given the text of the variable and the node in the file.
    var node: @Sendable (_ text: String, _ inFile: YAMLNode?) -> YAMLNode

    /// Returns an override that uses the text as the value.
    static func value(_ variable: String) -> EnvironmentOverride {
        EnvironmentOverride(variable: variable, summary: "Replaces the value.") { text, _ in .quoted(text) }
    }

    /// Returns an override that reads the text as a list, separated by commas or spaces.
    static func list(_ variable: String) -> EnvironmentOverride {
        EnvironmentOverride(variable: variable, summary: "Replaces the list; separate items with commas or spaces.") {
            text, _ in
            .sequence(text.split { $0 == "," || $0 == " " }.map { .quoted(String($0)) })
        }
    }

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
