/// A configuration that can be used.
package struct LoadedConfiguration: Sendable {
    /// The configuration.
    package var configuration: GatewayConfiguration
    /// What is allowed but risky: to be logged at every start.
    package var warnings: [ConfigurationProblem]
}
