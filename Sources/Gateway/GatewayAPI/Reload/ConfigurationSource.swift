package import ErrandConfiguration

/// The source of the configuration for reloads.
package struct ConfigurationSource: Sendable {
    /// Reads and validates the configuration that replaces `inForce`.
    ///
    /// It may block: it is called on a queue of its own, one call at a time.
    let read: @Sendable (_ inForce: GatewayConfiguration) throws(ConfigurationError) -> ReloadedConfiguration

    /// Creates a source.
    package init(
        read: @escaping @Sendable (GatewayConfiguration) throws(ConfigurationError) -> ReloadedConfiguration
    ) {
        self.read = read
    }
}
