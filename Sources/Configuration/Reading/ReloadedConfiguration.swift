import YAML

/// A configuration to go on with, in place of the one in force.
package struct ReloadedConfiguration: Sendable {
    /// What is to be in force: what was read, but for the settings that only a restart may change.
    package var configuration: GatewayConfiguration
    /// The settings that have other values than before, as paths such as `sessions.github.timeouts.idle`.
    ///
    /// A session that comes or goes is told by its name alone. No path holds a value.
    package var changed: [String]
    /// The settings whose other values wait for a restart; the former ones are still in ``configuration``.
    package var restartRequired: [String]
    /// What is allowed but risky.
    package var warnings: [ConfigurationProblem]
    /// The name of the file, as the user gave it.
    package var file: String

    /// Refuses the configuration after all, for problems that its file does not show by itself.
    ///
    /// - Parameter problems: None: it is not refused.
    package func refuse(for problems: [ConfigurationProblem]) throws(ConfigurationError) {
        try LoadedConfiguration(configuration: configuration, warnings: warnings, file: file).refuse(for: problems)
    }
}

extension ConfigurationLoader {
    /// Reads a configuration that is to replace another while the gateway runs.
    ///
    /// What only a restart may change stays as it is in force, so that nothing is half applied; and as what is left may
    /// not go with it, such as an open address without the tokens that were required for it, both are checked together.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - file: The name of the file, for messages.
    ///   - inForce: What the gateway runs with.
    /// - Throws: All problems at once, as far as the text is YAML.
    package func load(
        _ bytes: [UInt8], file: String, replacing inForce: GatewayConfiguration
    ) throws(ConfigurationError) -> ReloadedConfiguration {
        let settings = GatewayConfiguration.settings
        var changes: [SettingChange] = []
        let loaded = try load(bytes, file: file) { read, root, reader in
            changes = settings.comparison.changes(inForce, read)
            var configuration = read
            settings.comparison.keepRestartOnly(inForce, &configuration)
            if changes.contains(where: { $0.reload == .restart }) { settings.check(configuration, root, &reader) }
            return configuration
        }
        return ReloadedConfiguration(
            configuration: loaded.configuration,
            changed: changes.filter { $0.reload == .live }.map(\.path.description),
            restartRequired: changes.filter { $0.reload == .restart }.map(\.path.description),
            warnings: loaded.warnings, file: loaded.file)
    }
}
