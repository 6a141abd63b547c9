package import ErrandJSON
package import ErrandSessionCore
import ErrandSettings
import ErrandYAML

/// Prints the current configuration: every setting, including defaults.
package enum ConfigurationPrinter {
    /// Returns the configuration as a YAML text with the same meaning, except that secrets are `[redacted]`.
    ///
    /// Sessions include their inherited settings, so the text has no `session_defaults`.
    package static func yaml(_ configuration: GatewayConfiguration) -> String {
        YAMLWriter.text(of: escaped(GatewayConfiguration.settings.write(configuration)))
    }

    /// Escapes dollar signs, which would begin an interpolation.
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

extension ConfigurationPrinter {
    /// Writes the configuration of one session as a JSON object.
    ///
    /// It has the members and values of the file: every setting, including defaults, with secrets as `[redacted]`. The
    /// session for callbacks lacks the settings that have no effect in it.
    package static func write(_ session: SessionConfiguration, to writer: inout JSONWriter) {
        SettingJSON.write(CallbackSessionSettings.write(session), to: &writer)
    }
}
