import ErrandYAML

/// The description of a setting, independent of the type of its value.
struct SettingDescription: Sendable {
    /// The event that makes a change in the file effective.
    enum Reload: Sendable, Hashable {
        /// The change applies at a reload.
        case live
        /// The change applies at the next start.
        case restart
    }

    /// The key in the file.
    var name: String
    /// The shape of its value.
    var shape: SettingShape
    /// The effect of the setting, in Markdown.
    var summary: String
    /// The event that makes a change effective.
    var reload: Reload = .live
    /// The environment variable that takes precedence over the file.
    var environment: EnvironmentOverride?
    /// True if the file must contain the setting.
    var isRequired = false
    /// True if the setting is part of the printed configuration.
    var isPrinted = true
    /// The default as a node of the file; `nil` for secrets, and if there is no default.
    var defaultValue: YAMLNode?
}
