package import Configuration

/// Where the configuration comes from when it is to be read again.
package struct ConfigurationSource: Sendable {
    /// Reads it completely, to replace the one in force.
    ///
    /// It may block: it is called on a thread of its own, one call at a time.
    let read: @Sendable (_ inForce: GatewayConfiguration) throws(ConfigurationError) -> ReloadedConfiguration
    /// Told what is in force from now on, for what is outside of the gateway, such as the level of its logger.
    let didApply: @Sendable (GatewayConfiguration) -> Void

    /// Creates a source.
    package init(
        read: @escaping @Sendable (GatewayConfiguration) throws(ConfigurationError) -> ReloadedConfiguration,
        didApply: @escaping @Sendable (GatewayConfiguration) -> Void = { _ in }
    ) {
        self.read = read
        self.didApply = didApply
    }
}
