import YAML

/// Prints the configuration in force: every setting, defaults included.
package enum ConfigurationPrinter {
    /// The configuration as a YAML text that stands for the same configuration, but for secrets: they are `[redacted]`.
    ///
    /// What is inherited is in the sessions, so there are no `session_defaults`.
    package static func yaml(_ configuration: GatewayConfiguration) -> String {
        YAMLWriter.text(of: escaped(GatewayConfiguration.settings.write(configuration)))
    }

    /// A dollar sign would begin an interpolation.
    private static func escaped(_ node: YAMLNode) -> YAMLNode {
        var node = node
        switch node.content {
        case .scalar(var scalar):
            scalar.text = scalar.text.split(separator: "$", omittingEmptySubsequences: false).joined(separator: "$$")
            node.content = .scalar(scalar)
        case .sequence(let items):
            node.content = .sequence(items.map(escaped))
        case .mapping(var mapping):
            for member in mapping.members { mapping.set(member.key, to: escaped(member.value)) }
            node.content = .mapping(mapping)
        }
        return node
    }
}
