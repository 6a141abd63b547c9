package import ErrandConfiguration
package import ErrandSettings

/// The source of the configuration for reloads.
package struct ConfigurationSource: Sendable {
    /// The problems for which a configuration is refused.
    package typealias Failure = ConfigurationError

    /// Reads and validates the configuration that replaces `inForce`.
    ///
    /// It may block: it is called on a queue of its own, one call at a time.
    let read: @Sendable (_ inForce: GatewayConfiguration) throws(Failure) -> ReloadedConfiguration

    /// Creates a source.
    package init(
        read: @escaping @Sendable (GatewayConfiguration) throws(Failure) -> ReloadedConfiguration
    ) {
        self.read = read
    }
}
