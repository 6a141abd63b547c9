package import ErrandSettings
import ErrandYAML

/// A valid configuration that replaces the current one.
package struct ReloadedConfiguration: Sendable {
    /// The new configuration, in which settings that need a restart keep their current values.
    package var configuration: GatewayConfiguration
    /// The paths of changed settings, such as `sessions.github.timeouts.idle`.
    ///
    /// An added or removed session is listed by its name alone. Paths never contain values.
    package var changed: [String]
    /// The changed settings that need a restart.
    ///
    /// ``configuration`` still has their former values.
    package var restartRequired: [String]
    /// Settings that are allowed but risky.
    package var warnings: [ConfigurationProblem]
    /// A sentence for each limit that was lowered to the descriptors of the process, for the log.
    package var loweredLimits: [String]
    /// The name of the file, as the user gave it.
    package var file: String

    /// Throws an error if other components found problems that the file does not show by itself.
    ///
    /// - Parameter problems: The problems. If there are none, the function returns.
    package func refuse(for problems: [ConfigurationProblem]) throws(ConfigurationError) {
        try LoadedConfiguration(configuration: configuration, warnings: warnings, file: file).refuse(for: problems)
    }
}

extension ConfigurationLoader {
    /// Reads a configuration that replaces another while the gateway runs.
    ///
    /// Settings that need a restart keep their current values, so that no change is half applied. The kept values may
    /// not fit the new ones, for example an open address without the tokens that it requires. Therefore the combination
    /// is checked too.
    ///
    /// An empty text is refused: it is more often a file that is being written, or a pipe that was read before, than the
    /// wish to remove all sessions and tokens.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - file: The name of the file, for messages.
    ///   - inForce: The current configuration of the gateway.
    /// - Throws: All problems together, provided the text is valid YAML.
    package func load(
        _ bytes: [UInt8], file: String, replacing inForce: GatewayConfiguration
    ) throws(ConfigurationError) -> ReloadedConfiguration {
        let settings = GatewayConfiguration.settings
        var changes: [SettingChange] = []
        var loweredLimits: [String] = []
        let loaded = try load(bytes, file: file, refusingEmpty: Self.emptyProblem) { read, root, reader in
            var configuration = read
            if let openFiles { loweredLimits = openFiles.fit(&configuration, replacing: inForce) }
            changes = settings.comparison.changes(inForce, configuration)
            settings.comparison.keepRestartOnly(inForce, &configuration)
            if changes.contains(where: { $0.reload == .restart }) { settings.check(configuration, root, &reader) }
            return configuration
        }
        return ReloadedConfiguration(
            configuration: loaded.configuration,
            changed: changes.filter { $0.reload == .live }.map(\.path.description),
            restartRequired: changes.filter { $0.reload == .restart }.map(\.path.description),
            warnings: loaded.warnings, loweredLimits: loweredLimits, file: loaded.file)
    }

    private static let emptyProblem =
        "the file is empty, which would remove every session and token; write {} if that is intended"
}
