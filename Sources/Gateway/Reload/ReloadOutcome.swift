package import Configuration

/// What became of a reload.
package enum ReloadOutcome: Sendable {
    /// It is in force, but for what needs a restart.
    case applied(ReloadedConfiguration)
    /// The configuration is not valid: the one before is in force as it was.
    case refused(ConfigurationError)
    /// It could not be put in force, for a reason that has nothing to do with it: the one before is in force.
    case failed(any Error)
    /// The gateway is not open, or has nothing to read a configuration from.
    case unavailable
}
