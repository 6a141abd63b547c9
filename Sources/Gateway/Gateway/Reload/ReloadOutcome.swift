package import ErrandConfiguration

/// The outcome of a reload.
package enum ReloadOutcome: Sendable {
    /// The configuration is in force, except settings that need a restart.
    case applied(ReloadedConfiguration)
    /// The configuration is invalid; the previous one stays in force.
    case refused(ConfigurationError)
    /// The configuration is valid but could not be applied; the previous one stays in force.
    case failed(any Error)
    /// The gateway is not open, or has no configuration source.
    case unavailable
}
