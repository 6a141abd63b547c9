import ErrandYAML

/// An environment variable that takes precedence over the configuration file.
struct EnvironmentOverride: Sendable {
    /// The name of the variable.
    ///
    /// An empty variable counts as unset.
    var variable: String
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
}
