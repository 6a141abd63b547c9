package import ErrandYAML

/// The description of a setting, independent of the type of its value.
package struct SettingDescription: Sendable {
    /// The event that makes a change in the file effective.
    package enum Reload: Sendable, Hashable {
        /// The change applies at a reload.
        case live
        /// The change applies at the next start.
        case restart
    }

    /// The key in the file.
    package var name: String
    /// The shape of its value.
    package var shape: SettingShape
    /// The effect of the setting, in Markdown.
    package var summary: String
    /// The event that makes a change effective.
    package var reload: Reload = .live
    /// The environment variable that takes precedence over the file.
    package var environment: EnvironmentOverride?
    /// True if the file must contain the setting.
    package var isRequired = false
    /// True if the setting is part of the printed configuration.
    package var isPrinted = true
    /// The default as a node of the file; `nil` for secrets, and if there is no default.
    package var defaultValue: YAMLNode?
}
