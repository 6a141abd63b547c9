import YAML

/// What is told about a setting, whatever the type of its value.
struct SettingDescription: Sendable {
    /// When a change in the file has an effect.
    enum Reload: Sendable, Hashable {
        /// At a reload.
        case live
        /// At the next start.
        case restart
    }

    /// The key in the file.
    var name: String
    /// What its value looks like.
    var shape: SettingShape
    /// What it does, in Markdown.
    var summary: String
    /// When a change has an effect.
    var reload: Reload = .live
    /// The environment variable that wins over the file.
    var environment: EnvironmentOverride?
    /// Whether it has to be there.
    var isRequired = false
    /// Whether it is a part of the effective configuration.
    var isPrinted = true
    /// The default as the file would have it; `nil` for secrets, and where there is none.
    var defaultValue: YAMLNode?
}
