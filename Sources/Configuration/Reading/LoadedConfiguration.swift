/// A configuration that can be used.
package struct LoadedConfiguration: Sendable {
    /// The configuration.
    package var configuration: GatewayConfiguration
    /// What is allowed but risky: to be logged at every start.
    package var warnings: [ConfigurationProblem]
    /// The name of the file, as the user gave it.
    package var file: String

    /// Refuses the configuration after all, for problems that its file does not show by itself.
    ///
    /// - Parameter problems: None: it is not refused.
    package func refuse(for problems: [ConfigurationProblem]) throws(ConfigurationError) {
        guard !problems.isEmpty else { return }
        throw ConfigurationError(file: file, problems: problems.sorted(by: ConfigurationProblem.isBefore))
    }
}
