import ErrandSettings
package import ErrandYAML

/// A setting that has no effect in some sessions, and is refused there.
///
/// It is still read, because other sessions inherit it. `SettingLoader.refusal` is for settings that a whole program has
/// no use for.
package struct IneffectiveSetting: Sendable {
    /// The path of the setting from its session.
    package let keys: [String]
    /// The reason for which it has no effect, and the remedy.
    package let reason: String

    /// Creates a description of a setting.
    package init(_ keys: String..., reason: String) {
        self.keys = keys
        self.reason = reason
    }
}

extension [IneffectiveSetting] {
    /// Reports those of the settings that the node of a session has.
    func report(in node: YAMLNode, to reader: inout SettingReader) {
        for setting in self where node[YAMLPath(keys: setting.keys)] != nil {
            reader.report(setting.reason, at: setting.keys.map { .key($0) }, in: node)
        }
    }

    /// Returns the node of a session without the settings.
    package func removed(from node: YAMLNode) -> YAMLNode {
        reduce(node) { node, setting in node.removing(setting.keys[...]) }
    }
}

extension YAMLNode {
    /// Returns the node without the member at a path.
    fileprivate func removing(_ keys: ArraySlice<String>) -> YAMLNode {
        guard let first = keys.first, let mapping else { return self }
        return .mapping(
            mapping.members.compactMap { member -> (String, YAMLNode)? in
                guard member.key == first else { return (member.key, member.value) }
                return keys.count == 1 ? nil : (member.key, member.value.removing(keys.dropFirst()))
            })
    }
}
