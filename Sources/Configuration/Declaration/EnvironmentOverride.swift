import YAML

/// An environment variable that wins over the file.
struct EnvironmentOverride: Sendable {
    /// The name of the variable.
    ///
    /// An empty variable counts as none.
    var variable: String
    /// What it does, in Markdown.
    var summary: String
    /// The setting's node for the variable's text, with what the file has.
    var node: @Sendable (_ text: String, _ inFile: YAMLNode?) -> YAMLNode

    /// The text is the value.
    static func value(_ variable: String) -> EnvironmentOverride {
        EnvironmentOverride(variable: variable, summary: "Replaces the value.") { text, _ in .quoted(text) }
    }

    /// The text is a list, with commas or spaces between.
    static func list(_ variable: String) -> EnvironmentOverride {
        EnvironmentOverride(variable: variable, summary: "Replaces the list; commas or spaces between several.") {
            text, _ in
            .sequence(text.split { $0 == "," || $0 == " " }.map { .quoted(String($0)) })
        }
    }
}
