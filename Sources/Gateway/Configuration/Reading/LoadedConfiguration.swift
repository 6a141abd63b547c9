/// A valid configuration.
package struct LoadedConfiguration: Sendable {
    /// The configuration.
    package var configuration: GatewayConfiguration
    /// Settings that are allowed but risky.
    ///
    /// They are logged at every start.
    package var warnings: [ConfigurationProblem]
    /// The name of the file, as the user gave it.
    package var file: String

    /// Throws an error if other components found problems that the file does not show by itself.
    ///
    /// - Parameter problems: The problems. If there are none, the function returns.
    package func refuse(for problems: [ConfigurationProblem]) throws(ConfigurationError) {
        guard !problems.isEmpty else { return }
        throw ConfigurationError(file: file, problems: problems)
    }
}
