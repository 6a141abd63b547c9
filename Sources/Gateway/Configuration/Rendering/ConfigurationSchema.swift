import ErrandSettings

/// A JSON Schema (draft 2020-12) of the configuration file, for editors; see ``SettingSchema``.
package enum ConfigurationSchema {
    /// Returns the schema as JSON text in UTF-8.
    package static func json() -> [UInt8] {
        SettingSchema.json(of: GatewayConfiguration.settings.shape, title: "Errand configuration")
    }
}
